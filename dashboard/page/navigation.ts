/** Moves between places without leaving the page; back and forward work as everywhere. */
import { useEffect, useState } from 'preact/hooks'
import { type Place, placeOf, urlOf } from '../state/place.ts'

const MOVED = 'leasehold-moved'

/** `replace` for what is no step of its own, such as typing into a filter. */
export function go(place: Place, how: 'push' | 'replace' = 'push'): void {
  const url = urlOf(place)
  if (how === 'push') history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  dispatchEvent(new Event(MOVED))
}

export function usePlace(): Place {
  const [search, setSearch] = useState(location.search)
  useEffect(() => {
    const look = () => setSearch(location.search)
    addEventListener('popstate', look)
    addEventListener(MOVED, look)
    return () => {
      removeEventListener('popstate', look)
      removeEventListener(MOVED, look)
    }
  }, [])
  return placeOf(search)
}
