/**
 * An EventBridge and an SQS to talk to over HTTP: the moto server, from PyPI, in a virtual
 * environment of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pythonEnvironment } from '../../local/emulators/python-environment.ts'

export interface Moto {
  readonly endpoint: string
  stop(): Promise<void>
}

/**
 * Only what the server itself needs: the `server` extra would bring every service's tools along.
 */
const packages = ['moto[events,sqs]>=5.1,<6', 'flask', 'flask-cors']
const startMs = 60_000

export const probeMoto = () => pythonEnvironment('moto', packages)

export async function startMoto(bin: string): Promise<Moto> {
  const args = [join(bin, 'moto_server'), '-H', '127.0.0.1', '-p', '0']
  const child = spawn(join(bin, 'python'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const died = once(child, 'exit')
  const timer = setTimeout(() => child.kill(), startMs)
  try {
    const endpoint = await addressOf(child)
    return {
      endpoint,
      async stop() {
        child.kill()
        await died
      },
    }
  } finally {
    clearTimeout(timer)
  }
}

/** It takes a free port and says which. */
async function addressOf(child: ChildProcess): Promise<string> {
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    said.push(line)
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (address) {
      // Nobody reads its log, and a full pipe would stop it.
      child.stderr!.resume()
      child.stdout!.resume()
      return address
    }
  }
  throw new Error(`the moto server did not start: ${said.join('\n')}`)
}
