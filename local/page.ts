/**
 * The page of local mode: the same app over plain http on a second loopback port, so that no
 * certificate warning stands before the first look. It is built from its sources when they are
 * newer, beside everything else.
 */
import { fileURLToPath } from 'node:url'
import { type Fetch, serve } from './https-server.ts'
import type { LocalLog } from './log.ts'
import type { Started } from './parts.ts'

export const pageFolder = fileURLToPath(new URL('../dist/dashboard', import.meta.url))

export interface LocalPage {
  /** Absent when its port is taken: the service works without. */
  readonly address: string | undefined
}

export async function startPage(
  fetch: Fetch,
  port: number,
  log: LocalLog,
): Promise<Started<LocalPage>> {
  const building = buildPage(log)
  try {
    const server = await serve(fetch, port)
    const stop = async () => {
      await Promise.all([server.stop(), building])
    }
    return { value: { address: `http://127.0.0.1:${server.port}` }, stop }
  } catch (error) {
    log.say(`No page: ${(error as Error).message.replace('--port', '--dashboard-port')}`)
    return { value: { address: undefined }, stop: () => building }
  }
}

/** Loaded only here: the bundler is large, and the api need not wait for it. */
async function buildPage(log: LocalLog): Promise<void> {
  try {
    const { buildWhenStale } = await import('../dashboard/build.ts')
    await buildWhenStale()
  } catch (error) {
    log.entry({ level: 'warn', message: 'cannot build the page', error })
  }
}
