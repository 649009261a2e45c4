/**
 * FNV-1a, 32 bits, over the UTF-16 units of a text. It decides in which partition stored items are,
 * so it may never change.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}

/** Eight hex digits that tell texts apart; they guard nothing. */
export const fingerprint = (text: string): string => fnv1a(text).toString(16).padStart(8, '0')
