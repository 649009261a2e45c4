/**
 * A wire between a host and the service that can be cut: bytes in, bytes out, or nothing at all.
 */
import { connect, createServer, type Socket } from 'node:net'

export interface CuttableLine {
  readonly url: string
  /** From now on nothing passes: what is open hangs, what is new is not answered. */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

export async function cuttableLine(target: string): Promise<CuttableLine> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => open.delete(socket))
    }
    near.on('data', (bytes) => far.write(bytes)).on('close', () => far.destroy())
    far.on('data', (bytes) => near.write(bytes)).on('close', () => near.destroy())
    // Only now: listening for data starts the flow.
    if (isCut) for (const socket of [near, far]) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { readonly port: number }
  return {
    url: `https://127.0.0.1:${address.port}`,
    cut() {
      isCut = true
      for (const socket of open) socket.pause()
    },
    mend() {
      isCut = false
      for (const socket of open) socket.resume()
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
