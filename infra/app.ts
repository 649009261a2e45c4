/** What `cdk` runs: `cdk deploy --all`, `cdk synth`. */
import { App } from 'aws-cdk-lib'
import { EXIT_USAGE } from '../shared/flags/program.ts'
import { readAccountQuota } from './account-quota.ts'
import { buildApp } from './leasehold-app.ts'
import { type Context, type DeploymentSettings, readDeploymentSettings } from './settings.ts'

const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env
const app = new App()
try {
  const settings = await settingsFor(app.node.getAllContext())
  buildApp(app, settings, { account, region })
} catch (error) {
  // A wrong option is the user's to mend, and a stack trace would hide the sentence that says so.
  console.error((error as Error).message)
  process.exit(EXIT_USAGE)
}

/** The CDK names an account where it found credentials; without one the usual quota is assumed. */
async function settingsFor(context: Context): Promise<DeploymentSettings> {
  const given = readDeploymentSettings(context)
  if (!account || 'concurrencyQuota' in context) return given
  const { concurrentRuns, assumedBecause } = await readAccountQuota(process.env, region)
  const settings = readDeploymentSettings({ ...context, concurrencyQuota: concurrentRuns })
  const { api, monitor, notifier } = settings.concurrency
  const source = assumedBecause
    ? `could not be read (${assumedBecause}; -c concurrencyQuota=N sets it) and is taken to be`
    : 'is'
  console.error(
    `Lambda's quota of concurrent runs ${source} ${concurrentRuns}. ` +
      `Set aside: api ${api}, monitor ${monitor}, notifier ${notifier} (0: none).`,
  )
  return settings
}
