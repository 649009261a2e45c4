/**
 * Builds the stacks from the settings and lets cdk-nag check them. Apart from `app.ts`, which
 * synthesizes as it is loaded, so that tests can build an app of their own.
 */
import { type App, Tags, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import type { DeploymentSettings } from './settings.ts'
import { ApiStack } from './stacks/api-stack.ts'
import { DataStack } from './stacks/data-stack.ts'
import { ServiceStack } from './stacks/service-stack.ts'

interface Environment {
  readonly account?: string
  readonly region?: string
}

interface Stacks {
  readonly data: DataStack
  readonly api: ApiStack
  readonly service: ServiceStack
}

export function buildApp(app: App, settings: DeploymentSettings, env: Environment = {}): Stacks {
  const name = `leasehold-${settings.stage}`
  const data = new DataStack(app, `${name}-data`, {
    settings,
    env,
    description: 'Leasehold: tables and keys',
    terminationProtection: true,
  })
  const api = new ApiStack(app, `${name}-api`, {
    settings,
    data,
    env,
    description: 'Leasehold: the api and the address that hosts know',
    terminationProtection: true,
  })
  const service = new ServiceStack(app, name, {
    settings,
    data,
    api,
    env,
    description: 'Leasehold: monitor, notifier, bus, alarms',
  })
  Tags.of(app).add('leasehold-stage', settings.stage)
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
  return { data, api, service }
}
