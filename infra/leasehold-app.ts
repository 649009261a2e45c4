/** Reads the settings, checks them, builds two stacks and lets cdk-nag look at them. */
import { type App, Tags, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { type Context, readSettings } from './settings.ts'
import { DataStack } from './stacks/data-stack.ts'
import { ServiceStack } from './stacks/service-stack.ts'

export interface Place {
  readonly account?: string
  readonly region?: string
}

export interface Stacks {
  readonly data: DataStack
  readonly service: ServiceStack
}

export function buildApp(app: App, context: Context, env: Place = {}): Stacks {
  const settings = readSettings(context)
  const data = new DataStack(app, `leasehold-${settings.stage}-data`, {
    settings,
    env,
    description: 'Leasehold: tables and keys',
    terminationProtection: true,
  })
  const service = new ServiceStack(app, `leasehold-${settings.stage}`, {
    settings,
    data,
    env,
    description: 'Leasehold: api, monitor, notifier',
  })
  Tags.of(app).add('leasehold-stage', settings.stage)
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
  return { data, service }
}
