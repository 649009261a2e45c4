/** The index of the first element that is not before; the list is sorted so that those come first. */
export function lowerBound<T>(sorted: readonly T[], isBefore: (element: T) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(sorted[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}
