import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readDeploymentSettings } from '../../../infra/settings.ts'
import { DataStack } from '../../../infra/stacks/data-stack.ts'

const stackOf = (context: Record<string, unknown>) =>
  new DataStack(new App(), 'data', { settings: readDeploymentSettings(context) })

/** Without another stack, so that nothing is exported because it is imported. */
const exportsOf = (stack: DataStack): string[] =>
  Object.values(Template.fromStack(stack).findOutputs('*')).flatMap(
    ({ Export }) => Export?.Name ?? [],
  )

it('exports what the other stack may stop to use: it is deployed first', () => {
  const tables = exportsOf(stackOf({})).filter((name) => name.includes('Tables'))
  expect(tables).toHaveLength(5)
  // The first of a file loads the CDK, which a busy machine makes long.
}, 60_000)

describe('keys of the next generation', () => {
  it('come beside those before: the service that runs still imports them', () => {
    const [first, second, third] = [1, 2, 3].map((nodeKeyGeneration) =>
      exportsOf(stackOf({ nodeKeyGeneration })).filter((name) => name.includes('Keys')),
    )
    expect(first).toHaveLength(4)
    expect(second).toEqual(expect.arrayContaining(first!))
    expect(third).toEqual(expect.arrayContaining(second!))
    expect(third).toHaveLength(8)
  })

  it('outlive the stack', () => {
    const keys = Template.fromStack(stackOf({ adminKeyGeneration: 2 })).findResources(
      'AWS::KMS::Key',
    )
    expect(Object.values(keys).map(({ DeletionPolicy }) => DeletionPolicy)).toEqual([
      'Retain',
      'Retain',
      'Retain',
    ])
  })

  it('are believed alone when those before were stolen', () => {
    const { ofNodes, ofAdmins } = stackOf({
      nodeKeyGeneration: 2,
      believePreviousKeys: 'false',
    }).keys
    expect(ofNodes.believed).toEqual([ofNodes.signing])
    expect(ofNodes.signing).toBe(ofNodes.all[1])
    expect(ofAdmins.believed).toEqual(ofAdmins.all)
  })
})
