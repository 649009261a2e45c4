/** `leasehold verify`: proof, in your own install, that a silent host is noticed and told of. */
import { flag } from '../../shared/flags/flag-set.ts'
import type { Command } from './command.ts'

export const verify: Command = {
  words: ['verify'],
  summary: 'prove with two throwaway hosts that this install marks, evicts and tells',
  flags: {
    'event-bus': flag('NAME', 'the bus (LEASEHOLD_EVENT_BUS; output EventBusName)'),
    'ca-file': flag('FILE', 'the authority that signed for the api, as emulators have one'),
  },
  notes: `Joins two hosts in a zone of their own, silences one, watches it become Unknown and tainted, its pod
evicted and the events on the bus, lets it return and leave, and removes what it made, also on Ctrl-C.
In AWS that is a queue and a rule leasehold-verify-N besides; your credentials must allow making both.
Events of it lapse after an hour, and the monitor forgets the empty zone a few ticks later.
Write units are those of what this command writes itself: what api and monitor write, they do not report.
Exit code 0: all of it happened; 1: not; 2: this install cannot be verified now, and nothing was made.`,
  async run(values, context) {
    // Loaded on demand: kubectl waits for `credential` at every command.
    const { verifyInstall } = await import('./verify/verification.ts')
    await verifyInstall(values, context)
  },
}
