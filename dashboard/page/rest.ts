/**
 * Waits, unless the end comes first or `word` is heard. Leaves no listener behind: a page that is
 * left open for a week rests a hundred thousand times under one signal.
 */
export function rest(
  ms: number,
  signal: AbortSignal,
  { target, word }: { readonly target: EventTarget; readonly word: string },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  const over = new AbortController()
  const wake = () => resolve()
  const timer = setTimeout(wake, ms)
  signal.addEventListener('abort', wake, { signal: over.signal })
  target.addEventListener(word, wake, { signal: over.signal })
  return promise.finally(() => {
    clearTimeout(timer)
    over.abort()
  })
}
