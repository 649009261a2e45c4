/** What must be true before `leasehold verify` makes anything: region, quota, settings. */
import { readAccountQuota } from '../../../infra/account-quota.ts'
import { UsageError } from '../../../shared/flags/flag-set.ts'
import { FLEET_NAME, type Fleet } from '../../../shared/kube/fleet/resource.ts'
import { defaultSettings, type Settings } from '../../../shared/lifecycle/settings.ts'
import type { CommandContext, InstallLocation } from '../command.ts'
import type { Service } from './service.ts'

const FLEET_PATH = `/apis/leasehold.dev/v1/fleets/${FLEET_NAME}`

/** What the service goes by, and who is there already. */
export interface Judgement {
  readonly settings: Settings
  readonly nodes: number
}

export async function readJudgement({ get }: Pick<Service, 'get'>): Promise<Judgement> {
  const { status } = (await get<Fleet>(FLEET_PATH)) ?? {}
  const settings = { ...defaultSettings, ...(status?.settings as Partial<Settings> | undefined) }
  if (status?.mode === 'observe' || settings.observe)
    throw new UsageError('the service only observes (lifecycle.observe): it would mark no host')
  if (status?.evictionsPaused)
    throw new UsageError('evictions are paused for the fleet: nothing would be evicted')
  if (status?.disruption && status.disruption !== 'none')
    throw new UsageError('every zone of the fleet is down: nothing would be evicted')
  if (settings.nodeEvictionRate === 0)
    throw new UsageError('node-eviction-rate is 0: nothing would be evicted')
  return { settings, nodes: status?.nodes ?? 0 }
}

/** In AWS an address names its region; tables and keys of another would not be found. */
function needRegion(server: string, env: CommandContext['env']): string {
  const there = /\.(?:lambda-url|execute-api)\.([a-z0-9-]+)\./.exec(new URL(server).hostname)?.[1]
  const here = env.AWS_REGION ?? env.AWS_DEFAULT_REGION
  if (there && here && there !== here)
    throw new UsageError(
      `the api is in ${there}, this terminal in ${here}: set AWS_REGION=${there}`,
    )
  return there ?? here ?? 'the region of your AWS profile'
}

/** One line about the place, or a UsageError. */
export async function placeOf(
  location: InstallLocation,
  server: string,
  env: CommandContext['env'],
): Promise<string> {
  if (location.kind === 'local') return 'a local install: it has neither region nor quota'
  const region = needRegion(server, env)
  if (env.AWS_ENDPOINT_URL) return `${region}, in an emulator, which has no quota to ask`
  const { concurrentRuns, assumedBecause } = await readAccountQuota({ ...env }, undefined)
  if (assumedBecause) return `${region}; the quota of Lambda runs is not known: ${assumedBecause}`
  return `${region}; ${concurrentRuns} concurrent Lambda runs allowed`
}
