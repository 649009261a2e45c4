/**
 * A name from a prefix, as Kubernetes makes them: no vowels and no look-alikes, so no word ever
 * appears.
 */

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 5
// Together with its suffix a generated name still fits where a DNS label is asked for.
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH

export function generateName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, MAX_PREFIX_LENGTH)
  for (let at = 0; at < SUFFIX_LENGTH; at++) name += LETTERS[Math.floor(random() * LETTERS.length)]
  return name
}
