import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GROUP_WITHIN_MS, timelineOf } from '../../../dashboard/state/event-timeline.ts'
import type { Event } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'

const START_MS = Date.UTC(2026, 0, 2)

const event = (reason: string, name: string, atSeconds: number): Event => ({
  metadata: { name: `${name}.${reason}.${atSeconds}`, uid: `${name} ${reason} ${atSeconds}` },
  involvedObject: { kind: 'Node', name },
  reason,
  type: 'Normal',
  lastTimestamp: formatTime(START_MS + atSeconds * 1000),
})

const told = (events: readonly Event[]) =>
  timelineOf(events, GROUP_WITHIN_MS).map(
    ({ reason, objects }) => `${reason} ${objects.map(({ name }) => name)}`,
  )

describe('events as a timeline', () => {
  it('begin with the newest', () => {
    expect(told([event('A', 'x', 0), event('B', 'y', 90)])).toEqual(['B y', 'A x'])
  })

  it('tell once what happened to many at once, even with something else in between', () => {
    const events = [event('Down', 'x', 0), event('Up', 'z', 1), event('Down', 'y', 2)]
    expect(told(events)).toEqual(['Down y,x', 'Up z'])
  })

  it('tell twice what happened again later', () => {
    expect(told([event('Down', 'x', 0), event('Down', 'x', 61)])).toEqual(['Down x', 'Down x'])
  })

  it('are told one by one where they are about one', () => {
    const events = [event('Tainted', 'x', 0), event('Tainted', 'x', 1)]
    expect(timelineOf(events, 0)).toHaveLength(2)
  })

  it('lose no event', () => {
    const events = fc.array(
      fc.record({
        reason: fc.constantFrom('A', 'B'),
        name: fc.constantFrom('x', 'y', 'z'),
        at: fc.nat({ max: 300 }),
      }),
    )
    fc.assert(
      fc.property(events, (list) => {
        const entries = timelineOf(
          list.map(({ reason, name, at }) => event(reason, name, at)),
          GROUP_WITHIN_MS,
        )
        const told = entries.reduce((sum, { objects }) => sum + objects.length, 0)
        expect(told).toBe(list.length)
      }),
    )
  })
})
