/** MiniStack, an emulator of AWS from PyPI that needs no Docker, as a process on loopback. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../../shared/flags/flag-set.ts'
import { EMULATED_REGION } from './emulated-aws.ts'
import { pythonEnvironment } from './python-environment.ts'

export const MINISTACK_VERSION = '1.5.33'
const START_MS = 30_000
const worker = fileURLToPath(new URL('./ministack-worker.ts', import.meta.url))

export const ministackPackages = () =>
  pythonEnvironment('ministack', [`ministack==${MINISTACK_VERSION}`, 'cryptography>=41'])

interface ServerPlan {
  /** The folder of MiniStack's Python. */
  readonly bin: string
  readonly port: number
  readonly invokeUrl: string
  readonly logFile: string
}

interface MiniStack {
  readonly endpoint: string
  /** Resolves when it ends by itself. */
  readonly broken: Promise<string>
  stop(): Promise<void>
}

export async function startMiniStack(plan: ServerPlan): Promise<MiniStack> {
  await needPort(plan.port)
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-ministack-'))
  // It looks for `node` on its path; this one hands every event to our host of functions.
  const script = `#!/bin/sh\nexec "${process.execPath}" "${worker}"\n`
  writeFileSync(join(folder, 'node'), script, { mode: 0o700 })
  const log = openSync(plan.logFile, 'a')
  const child = spawn(join(plan.bin, 'python'), ['-m', 'ministack'], {
    cwd: folder,
    env: {
      HOME: folder,
      TMPDIR: folder,
      PATH: [folder, process.env.PATH].join(delimiter),
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(plan.port),
      MINISTACK_REGION: EMULATED_REGION,
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      LEASEHOLD_INVOKE_URL: plan.invokeUrl,
    },
    stdio: ['ignore', log, log],
  })
  const exited = once(child, 'exit')
  const endpoint = `http://127.0.0.1:${plan.port}`
  const stop = async () => {
    // It keeps nothing, and its own way of ending takes longer than Ctrl-C may.
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  const broken = exited.then(([code]) => `MiniStack ended with ${code}; ${plan.logFile} says why`)
  try {
    await Promise.race([answers(endpoint), broken.then((why) => Promise.reject(new Error(why)))])
  } catch (error) {
    await stop()
    throw error
  }
  return { endpoint, broken, stop }
}

async function needPort(port: number): Promise<void> {
  const probe = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  probe.once('error', () =>
    reject(new UsageError(`port ${port} is taken: choose another, --port N`)),
  )
  probe.listen(port, '127.0.0.1', resolve)
  await promise
  await new Promise((closed) => probe.close(closed))
}

async function answers(endpoint: string): Promise<void> {
  const untilMs = Date.now() + START_MS
  while (Date.now() < untilMs) {
    const health = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined)
    if (health?.ok) return
    await sleep(100)
  }
  throw new Error(`MiniStack did not answer at ${endpoint} within ${START_MS / 1000} s`)
}
