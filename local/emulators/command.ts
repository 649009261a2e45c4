/**
 * What the commands for emulators have in common. What a user can mend (a tool that is missing, a
 * combination that cannot work) is told in one sentence before anything starts, with exit code 2.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../../shared/flags/flag-set.ts'
import { VERSION } from '../../shared/flags/version.ts'
import { type Components, components } from '../components.ts'

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url))

/** Throws unless the program starts at all. */
export function needTool(name: string, install: string, args: readonly string[] = ['--version']) {
  const { error } = spawnSync(name, args, { stdio: 'ignore' })
  if (error) throw new UsageError(`this needs ${name}, which is not installed: ${install}`)
}

interface ProgramRun {
  readonly env: NodeJS.ProcessEnv
  /** Gets everything the program says; the end of it is shown when the program fails. */
  readonly logFile: string
  /** Default: the project. */
  readonly cwd?: string
}

const SHOWN_LINES = 25

/** Runs a program of this project or of the machine to its end, quietly. */
export async function run(name: string, args: readonly string[], program: ProgramRun) {
  const { env, logFile, cwd = projectFolder } = program
  const said: string[] = []
  const child = spawn(name, args, {
    cwd,
    env: { ...env, PATH: [join(projectFolder, 'node_modules/.bin'), env.PATH].join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said.push(text.toString())
      appendFileSync(logFile, text)
    })
  const [code] = await once(child, 'close')
  if (code === 0) return
  const end = said.join('').trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')
  throw new Error(`${end}\n${name} ${args[0] ?? ''} ended with ${code}; ${logFile} has all of it`)
}

/**
 * Starts what `start` adds, keeps it running until Ctrl-C or until `ended` says why it ended, and
 * stops it all.
 */
export async function keepRunning(
  start: (running: Components) => Promise<{ readonly ended?: Promise<string | undefined> }>,
): Promise<void> {
  if (process.argv[2] === '--version') return console.log(VERSION)
  const running = components()
  const stopped = new Promise<undefined>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => resolve(undefined))
  })
  try {
    const interrupted = stopped.then(() => ({ ended: stopped }))
    const { ended = stopped } = await Promise.race([start(running), interrupted])
    const why = await Promise.race([stopped, ended])
    if (why !== undefined) fail(new Error(why))
  } catch (error) {
    fail(error)
  }
  const stuck = await running.stop()
  if (stuck.length > 0) console.error(`did not stop in time: ${stuck.join(', ')}`)
  process.exit()
}

function fail(error: unknown): void {
  const { message, stack } = error as Error
  console.error(process.env.LEASEHOLD_VERBOSE === '1' ? stack : message)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
