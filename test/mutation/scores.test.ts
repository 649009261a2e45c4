import { describe, expect, it } from 'vitest'
import { OPEN, readScores, readSurvivors } from './scores.ts'

/** Survivors that are real gaps. Lowered with each test that closes one. */
const MAX_OPEN = 69

describe('what the last sweep left', () => {
  const survivors = readSurvivors()

  it('has a survivor for every mutant that was played and not caught', () => {
    const counted = Object.entries(readScores()).map(([file, { played, caught }]) => ({
      file,
      left: played - caught,
      listed: survivors.filter((survivor) => survivor.file === file).length,
    }))
    expect(counted.filter(({ left, listed }) => left !== listed)).toEqual([])
  })

  it('has a reason for every survivor', () => {
    expect(survivors.filter(({ reason }) => reason.trim() === '')).toEqual([])
  })

  it('owes fewer tests each time', () => {
    expect(survivors.filter(({ reason }) => reason === OPEN).length).toBeLessThanOrEqual(MAX_OPEN)
  })
})
