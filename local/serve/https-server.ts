/** Serves a fetch handler over TLS, or over plain http on loopback. */
import type { Server } from 'node:http'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import type { ServerCertificate } from './certificates.ts'

export type RequestHandler = (request: Request) => Response | Promise<Response>

const LOOPBACK = '127.0.0.1'
/** Clients keep connections for 90 s; closing earlier would race with their next renewal. */
const KEEP_ALIVE_MS = 120_000

const RENEW_MS = 24 * 60 * 60_000

export interface Listening {
  readonly port: number
  stop(): Promise<void>
}

/** Over plain http, and therefore on loopback only. */
export const servePlain = (fetch: RequestHandler, port: number): Promise<Listening> =>
  listen(kept(createPlainServer(listenerOf(fetch))), port)

interface TlsPlan {
  /** Default loopback. */
  readonly address?: string
  readonly port: number
  readonly certificate: ServerCertificate
  /** Asked once a day: a server may run longer than its certificate lives. */
  readonly renew?: () => Promise<ServerCertificate>
  /** For clients that ask for these names; the others get `certificate`. */
  readonly named?: { readonly names: readonly string[] } & TlsFiles
}

interface TlsFiles {
  readonly key: string
  readonly cert: string
}

export async function serve(fetch: RequestHandler, plan: TlsPlan): Promise<Listening> {
  const server = createServer(filesOf(plan.certificate), listenerOf(fetch))
  for (const name of plan.named?.names ?? []) server.addContext(name, plan.named!)
  const timer = setInterval(async () => {
    if (plan.renew) server.setSecureContext(filesOf(await plan.renew()))
  }, RENEW_MS).unref()
  const listening = await listen(kept(server), plan.port, plan.address)
  const stop = () => {
    clearInterval(timer)
    return listening.stop()
  }
  return { ...listening, stop }
}

const filesOf = ({ keyPem, certPem }: ServerCertificate): TlsFiles => ({
  key: keyPem,
  cert: certPem,
})
const listenerOf = (fetch: RequestHandler) =>
  getRequestListener(fetch, { overrideGlobalObjects: false })

function kept<T extends Server>(server: T): T {
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

export function listen(server: Server, port: number, host = LOOPBACK): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<Listening>()
  server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port, host)))
  server.listen(port, host, () => {
    const address = server.address()
    if (address === null || typeof address === 'string') return reject(new Error('no port'))
    resolve({ port: address.port, stop: () => stop(server) })
  })
  return promise
}

function stop(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  // The system has ended all watches before; only idle connections are left.
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), 500).unref()
  return promise
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === 'EADDRNOTAVAIL')
    return new Error(`${host} is no address of this machine; 0.0.0.0 listens on all of them`)
  if (error.code === 'EADDRINUSE')
    return new Error(`port ${port} is taken; stop what uses it or choose another with --port`)
  if (error.code === 'EACCES')
    return new Error(`port ${port} needs privileges; choose one above 1023 with --port`)
  return error
}
