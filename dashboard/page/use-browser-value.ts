/** A value of the browser, read again on each of the events that may change it. */
import { useEffect, useState } from 'preact/hooks'

/** `events` and `read` must be the same at every call. */
export function useBrowserValue<T>(
  target: EventTarget,
  events: readonly string[],
  read: () => T,
): T {
  const [value, setValue] = useState(read)
  useEffect(() => {
    const update = () => setValue(read)
    for (const event of events) target.addEventListener(event, update)
    return () => {
      for (const event of events) target.removeEventListener(event, update)
    }
  }, [target])
  return value
}
