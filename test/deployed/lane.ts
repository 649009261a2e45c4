/** What the lanes of this folder share: commands of ours as a user starts them, kubectl, an end. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Components, components } from '../../local/components.ts'
import { CannotSetUp } from './docker-engine.ts'

/** What `.ci/run` takes for "could not be set up here". */
const SKIPPED = 75

/**
 * Runs a lane to its end, stops what it started, and ends with its verdict. One that is ended from
 * outside, because it took too long, leaves nothing behind either.
 */
export async function lane(
  name: string,
  play: (running: Components) => Promise<void>,
): Promise<never> {
  const running = components(STOP_MS)
  let code = 0
  const interrupted = Promise.withResolvers<never>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.reject(new Error(`ended by ${signal}`)))
  try {
    await Promise.race([play(running), interrupted.promise])
    console.log(`${name}: passed`)
  } catch (error) {
    code = error instanceof CannotSetUp ? SKIPPED : 1
    console.error(code === SKIPPED ? `${name}: SKIPPED, ${(error as Error).message}` : error)
  }
  const stuck = await running.stop()
  if (stuck.length > 0) console.error(`did not stop in time: ${stuck.join(', ')}`)
  process.exit(code || (stuck.length > 0 ? 1 : 0))
}

const STOP_MS = 25_000
const START_MS = 6 * 60_000

/** Starts a command and waits until it has said what to type next. */
export async function startCommand(script: string, args: readonly string[], env = {}) {
  const said: string[] = []
  const child = spawn(process.execPath, [`local/emulators/${script}.ts`, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => said.push(text.toString()))
  const exited = once(child, 'exit')
  const untilMs = Date.now() + START_MS
  while (!said.join('').includes('Stop with Ctrl-C')) {
    if (child.exitCode !== null || Date.now() > untilMs) {
      child.kill('SIGKILL')
      throw new Error(`npm run ${script} did not start:\n${said.join('')}`)
    }
    await sleep(200)
  }
  return { said: () => said.join(''), stop: () => interrupt(child, exited) }
}

async function interrupt(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGINT')
  await exited
}

/** kubectl with a kubeconfig that one of our commands wrote. Not in this thread, which may serve it. */
export const kubectlWith =
  (kubeconfig: string) =>
  async (args: readonly string[], input = ''): Promise<string> => {
    const asked = promisify(execFile)('kubectl', ['--kubeconfig', kubeconfig, ...args], {
      timeout: 60_000,
    })
    asked.child.stdin?.end(input)
    return (await asked).stdout
  }
