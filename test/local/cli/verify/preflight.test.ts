import { describe, expect, it } from 'vitest'
import { placeOf, readJudgement } from '../../../../local/cli/verify/preflight.ts'
import { UsageError } from '../../../../shared/flags/flag-set.ts'
import type { FleetStatus } from '../../../../shared/kube/fleet/resource.ts'
import { defaultSettings } from '../../../../shared/lifecycle/settings.ts'

const aws = { kind: 'aws' } as const
const url = 'https://abc.lambda-url.eu-north-1.on.aws/'

describe('before anything is made', () => {
  it('another region than the api is in is refused, in a sentence that mends it', async () => {
    const asked = placeOf(aws, url, { AWS_REGION: 'us-east-1' })
    await expect(asked).rejects.toThrow(UsageError)
    await expect(asked).rejects.toThrow('set AWS_REGION=eu-north-1')
  })

  it('an emulator is asked for no quota, and a local install not even for its region', async () => {
    const env = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }
    expect(await placeOf(aws, 'https://127.0.0.1:6443', env)).toContain('no quota to ask')
    const local = { kind: 'local', folder: 'x' } as const
    expect(await placeOf(local, 'https://127.0.0.1:6443', {})).toContain('a local install')
  })
})

const fleetWith = (status: Partial<FleetStatus>) => ({
  get: async <T>() => ({ status }) as T,
})

describe('an install that would not show it', () => {
  it.each([
    { when: 'it only observes', status: { mode: 'observe' as const }, says: 'observes' },
    { when: 'evictions are paused', status: { evictionsPaused: true }, says: 'paused' },
    { when: 'every zone is down', status: { disruption: 'entered' as const }, says: 'is down' },
    { when: 'its rate is 0', status: { settings: { nodeEvictionRate: 0 } }, says: 'is 0' },
  ])('is refused when $when', async ({ status, says }) => {
    await expect(readJudgement(fleetWith(status))).rejects.toThrow(UsageError)
    await expect(readJudgement(fleetWith(status))).rejects.toThrow(says)
  })

  it('goes by the defaults where no monitor has run', async () => {
    const empty = { get: async () => undefined }
    expect(await readJudgement(empty)).toEqual({ settings: defaultSettings, nodes: 0 })
  })
})
