/** How often should a host beat that has a grace of its own? Node name -> seconds, in one record. */

export const RHYTHM_RECORD = 'beat-rhythm'

/** As ten seconds are to the usual fifty: four beats may be lost before a host counts as silent. */
export const BEATS_A_GRACE = 5

export type BeatRhythm = Readonly<Record<string, number>>
