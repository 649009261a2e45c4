/** Changes to a synthesised template that only an emulator needs. */
import { readFileSync, writeFileSync } from 'node:fs'

type Variables = Record<string, unknown>

interface Resource {
  readonly Type: string
  readonly Properties: {
    FunctionName?: string
    Architectures?: readonly string[]
    Environment?: { Variables?: Variables }
  }
}

interface Template {
  Resources: Record<string, Resource>
  Outputs?: unknown
}

export type Architecture = 'x86_64' | 'arm64'

const ownArchitecture = (): Architecture => (process.arch === 'arm64' ? 'arm64' : 'x86_64')

const isFunction = ({ Type }: Resource) => Type === 'AWS::Lambda::Function'

/** The stacks ask for Arm, which a container on another processor cannot run. */
export function useArchitecture(file: string, architecture = ownArchitecture()): void {
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template
  for (const each of Object.values(template.Resources).filter(isFunction))
    each.Properties.Architectures = [architecture]
  writeFileSync(file, JSON.stringify(template, undefined, 1))
}

interface SamTemplate {
  /** The synthesised one; the new one must lie beside it, where the assets are. */
  readonly from: string
  readonly to: string
  readonly functionName: string
  readonly architecture: Architecture
  readonly variables: Readonly<Record<string, string>>
}

/**
 * The api and its HTTP API alone. SAM hands a container only variables that the template names, so
 * those of the emulator are written into it; what CloudFormation would fill in must be among them.
 */
export function writeSamTemplate({ from, to, functionName, ...wanted }: SamTemplate): void {
  const { Resources } = JSON.parse(readFileSync(from, 'utf8')) as Template
  const kept = Object.entries(Resources).filter(
    ([, { Type, Properties }]) =>
      Type.startsWith('AWS::ApiGatewayV2::') || Properties.FunctionName === functionName,
  )
  for (const [, { Properties }] of kept.filter(([, resource]) => isFunction(resource))) {
    Properties.Architectures = [wanted.architecture]
    Properties.Environment = {
      Variables: { ...Properties.Environment?.Variables, ...wanted.variables },
    }
  }
  writeFileSync(to, JSON.stringify({ Resources: Object.fromEntries(kept) }, undefined, 1))
}
