/** The stacks in an emulator: synthesised and deployed by the CDK, and read back as deployed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { USUAL_QUOTA } from '../../infra/concurrency.ts'
import { projectFolder, run } from './command.ts'
import { callLambda, emulatedAws } from './emulated-aws.ts'
import type { LambdaFunction } from './lambda/environment.ts'

export const EMULATED_STAGE = 'local'

export interface Deployment {
  readonly endpoint: string
  /** `name=value`, as `cdk -c` takes it. */
  readonly context: readonly string[]
  /** Gets the synthesised stacks, their outputs and the log. */
  readonly folder: string
}

type Outputs = Readonly<Record<string, string>>

export const assemblyOf = (folder: string) => join(folder, 'cdk.out')
export const outputsOf = (folder: string) => join(folder, 'outputs.json')

/** The synthesised templates that have functions. */
export const functionTemplates = (folder: string) =>
  ['-api', ''].map((stack) =>
    join(assemblyOf(folder), `leasehold-${EMULATED_STAGE}${stack}.template.json`),
  )

/** Synthesises the stacks as they would be deployed to the emulator's account. */
export async function synthesize(deployment: Deployment, project = projectFolder): Promise<void> {
  // No emulator has Service Quotas to ask.
  const own = [`stage=${EMULATED_STAGE}`, `concurrencyQuota=${USUAL_QUOTA}`]
  const context = [...own, ...deployment.context].flatMap((each) => ['-c', each])
  const output = ['--output', resolve(assemblyOf(deployment.folder))]
  await cdk(deployment, ['synth', '--quiet', ...output, ...context], project)
}

/** Deploys what was synthesised. An account is bootstrapped once. */
export async function deploy(deployment: Deployment, isFirst = true): Promise<Outputs> {
  const app = ['--app', assemblyOf(deployment.folder)]
  if (isFirst) await cdk(deployment, ['bootstrap', ...app])
  const outputs = ['--outputs-file', outputsOf(deployment.folder)]
  await cdk(deployment, ['deploy', '--all', '--require-approval', 'never', ...outputs, ...app])
  return readOutputs(deployment.folder)
}

const cdk = ({ endpoint, folder }: Deployment, args: readonly string[], project = projectFolder) =>
  run('cdk', [...args, '--no-notices', '--no-version-reporting'], {
    cwd: project,
    env: { ...emulatedAws(endpoint), CDK_DISABLE_CLI_TELEMETRY: 'true' },
    logFile: join(folder, 'cdk.log'),
  })

function readOutputs(folder: string): Outputs {
  const stacks = JSON.parse(readFileSync(outputsOf(folder), 'utf8')) as Record<string, Outputs>
  return Object.assign({}, ...Object.values(stacks))
}

/** Gives the outputs another address, for `npx --no-install leasehold --outputs`. */
export function nameServer(folder: string, server: string): void {
  const file = outputsOf(folder)
  const stacks = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
  for (const outputs of Object.values(stacks)) if (outputs.ApiUrl) outputs.ApiUrl = server
  writeFileSync(file, `${JSON.stringify(stacks, undefined, 2)}\n`)
}

interface FunctionConfiguration {
  readonly Handler: string
  readonly Timeout: number
  readonly MemorySize: number
  readonly Environment?: { readonly Variables?: Record<string, string> }
  readonly LoggingConfig?: { readonly LogFormat?: string; readonly ApplicationLogLevel?: string }
}

interface FunctionResource {
  readonly Type: string
  readonly Properties: {
    readonly FunctionName: string
    readonly Code: { readonly S3Key: string }
    readonly ReservedConcurrentExecutions?: number
  }
}

/** The functions as the emulator has them, with the code that was uploaded. */
export async function deployedFunctions(deployment: Deployment): Promise<LambdaFunction[]> {
  const { endpoint, folder } = deployment
  const resources = functionTemplates(folder).flatMap((file) => {
    const { Resources } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly Resources: Record<string, FunctionResource>
    }
    return Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function')
  })
  const read = resources.map(async ({ Properties }) => {
    const { FunctionName: name, Code, ReservedConcurrentExecutions: reserved } = Properties
    const response = await callLambda(endpoint, `${name}/configuration`)
    const configuration = (await response.json()) as FunctionConfiguration
    const codeFolder = resolve(assemblyOf(folder), `asset.${Code.S3Key.replace(/\.zip$/, '')}`)
    return { name, codeFolder, reserved, ...runtimeOf(configuration) }
  })
  return await Promise.all(read)
}

const runtimeOf = ({ Handler, Timeout, MemorySize, ...rest }: FunctionConfiguration) => ({
  handler: Handler,
  timeoutMs: Timeout * 1000,
  memoryMb: MemorySize,
  variables: {
    ...rest.Environment?.Variables,
    AWS_LAMBDA_LOG_FORMAT: rest.LoggingConfig?.LogFormat ?? 'Text',
    AWS_LAMBDA_LOG_LEVEL: rest.LoggingConfig?.ApplicationLogLevel ?? 'INFO',
  },
})
