/** Runs a program that must be on the machine, or says what to install. */
import { spawnSync } from 'node:child_process'

export interface Program {
  readonly name: string
  /** One line: where it comes from. */
  readonly install: string
}

export function need({ name, install }: Program): void {
  const found = spawnSync(name, ['--version'], { stdio: 'ignore' })
  if (found.error) throw new Error(`this needs ${name}, which is not installed: ${install}`)
}

/** Ends with the error of the first program that fails. */
export function run(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status, error } = spawnSync(name, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${status}`)
}

/** Tells a failure in one sentence. */
export function main(work: () => void): void {
  try {
    work()
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
