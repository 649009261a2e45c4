/** How many requests a second may one identity send to one process of the api? */
import { brokenRules, type SettingGroup } from './setting-group.ts'

interface RequestRates {
  /** A host's renewals of its own lease, apart from everything else it sends. */
  readonly beatsPerSecond: number
  /** Everything else of a host. */
  readonly nodeRequestsPerSecond: number
  /** Of operators and administrators. */
  readonly operatorRequestsPerSecond: number
  /** Of all others. */
  readonly userRequestsPerSecond: number
}

export const requestRateSettings: SettingGroup<RequestRates> = {
  defaults: {
    // A kubelet whose renewals fail sends five in a row; a healthy one sends 0.1 a second.
    beatsPerSecond: 5,
    nodeRequestsPerSecond: 5,
    // What kubectl allows itself.
    operatorRequestsPerSecond: 50,
    userRequestsPerSecond: 50,
  },
  flags: {
    'beats-per-second': ['beatsPerSecond', 'number'],
    'node-requests-per-second': ['nodeRequestsPerSecond', 'number'],
    'operator-requests-per-second': ['operatorRequestsPerSecond', 'number'],
    'user-requests-per-second': ['userRequestsPerSecond', 'number'],
  },
  problems: (rates) =>
    brokenRules(
      Object.entries(requestRateSettings.flags).map(([flag, [field]]) => [
        !(rates[field as keyof RequestRates] > 0),
        `${flag}: must be more than 0`,
      ]),
    ),
}
