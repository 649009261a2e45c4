/**
 * The dashboard of local mode: the same api over plain http on a second loopback port, so that the
 * browser shows no certificate warning. It is rebuilt in the background when its sources are newer.
 */
import { fileURLToPath } from 'node:url'
import type { LocalLog } from '../log.ts'
import { type RequestHandler, serve } from './https-server.ts'

export const pageFolder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

interface LocalPage {
  /** Absent when its port is taken; the service works without. */
  readonly address: string | undefined
  stop(): Promise<void>
}

export async function startPage(
  fetch: RequestHandler,
  port: number,
  log: LocalLog,
): Promise<LocalPage> {
  const building = buildPage(log)
  try {
    const server = await serve(fetch, port)
    const stop = async () => {
      await Promise.all([server.stop(), building])
    }
    return { address: `http://127.0.0.1:${server.port}`, stop }
  } catch (error) {
    log.say(`No page: ${(error as Error).message.replace('--port', '--dashboard-port')}`)
    return { address: undefined, stop: () => building }
  }
}

/** Loaded on demand: the bundler is large, and the api need not wait for it. */
async function buildPage(log: LocalLog): Promise<void> {
  try {
    const { buildWhenStale } = await import('../../dashboard/build.ts')
    await buildWhenStale()
  } catch (error) {
    log.entry({ level: 'warn', message: 'cannot build the page', error })
  }
}
