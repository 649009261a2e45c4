/**
 * The dashboard of local mode. The api serves it at its own address over https; on loopback it is
 * also there over plain http on a second port, where the browser shows no certificate warning. It
 * is rebuilt in the background when its sources are newer.
 */
import { fileURLToPath } from 'node:url'
import type { LocalLog } from '../log.ts'
import { type RequestHandler, servePlain } from './https-server.ts'

export const pageFolder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

interface LocalPage {
  /** Over plain http; absent when there is no port for it, or it is taken. */
  readonly address: string | undefined
  stop(): Promise<void>
}

export async function startPage(
  fetch: RequestHandler,
  port: number | undefined,
  log: LocalLog,
): Promise<LocalPage> {
  const building = buildPage(log)
  if (port === undefined) return { address: undefined, stop: () => building }
  try {
    const server = await servePlain(fetch, port)
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
