/** Which images lie on the host? The largest ones, under a few of their names. */

export interface Image {
  readonly sizeBytes: number
  readonly digests?: readonly string[]
  readonly tags?: readonly string[]
}

const MAX_NAMES = 5

/** -1 means no cap. */
export function imageList(images: readonly Image[], max: number) {
  const largestFirst = images.toSorted((a, b) => b.sizeBytes - a.sizeBytes)
  return (max === -1 ? largestFirst : largestFirst.slice(0, max)).map((image) => ({
    names: [...(image.digests ?? []), ...(image.tags ?? [])].slice(0, MAX_NAMES),
    sizeBytes: image.sizeBytes,
  }))
}
