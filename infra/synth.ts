/** `npm run synth`: the templates, without an account. A wrong option is told before the CDK starts. */
import { spawnSync } from 'node:child_process'
import { flag, repeatable, stringFlag, stringFlags, UsageError } from '../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../shared/flags/program.ts'
import { readDeploymentSettings } from './settings.ts'

const OUTPUT = 'cdk.out'

function checkOptions(given: readonly string[]): void {
  const pairs = given.map((each) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? []
    if (name === undefined) throw new UsageError(`-c ${each}: write name=value`)
    return [name, value] as const
  })
  try {
    readDeploymentSettings(Object.fromEntries(pairs))
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

const program: Program = {
  call: 'npm run synth --',
  summary: 'Writes the CloudFormation templates, without an account.',
  flags: {
    context: {
      ...repeatable(flag('NAME=VALUE', 'an option, as of "cdk deploy"; may be repeated')),
      short: 'c',
    },
    output: flag('DIR', 'where to', OUTPUT),
  },
  notes: 'docs/operations.md lists the options and their defaults.',
  run(values) {
    const context = stringFlags(values.context)
    checkOptions(context)
    const output = stringFlag(values.output) ?? OUTPUT
    const args = ['synth', '--quiet', '--output', output, ...context.flatMap((one) => ['-c', one])]
    return spawnSync('cdk', args, { stdio: 'inherit' }).status ?? 1
  },
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
