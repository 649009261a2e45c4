/** Serves a fetch handler on loopback, over TLS or plain http. */
import type { Server } from 'node:http'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import type { ServerCertificate } from './certificates.ts'

export type RequestHandler = (request: Request) => Response | Promise<Response>

const LOOPBACK = '127.0.0.1'
/** Clients keep connections for 90 s; closing earlier would race with their next renewal. */
const KEEP_ALIVE_MS = 120_000

export interface Listening {
  readonly port: number
  stop(): Promise<void>
}

export function serve(
  fetch: RequestHandler,
  port: number,
  tls?: ServerCertificate,
): Promise<Listening> {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  const server = tls
    ? createServer({ key: tls.keyPem, cert: tls.certPem }, listener)
    : createPlainServer(listener)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return listen(server, port)
}

export function listen(server: Server, port: number): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<Listening>()
  server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port)))
  server.listen(port, LOOPBACK, () => {
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

function explain(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`port ${port} is taken; stop what uses it or choose another with --port`)
  if (error.code === 'EACCES')
    return new Error(`port ${port} needs privileges; choose one above 1023 with --port`)
  return error
}
