/** A TCP proxy between a client and the service, to take the network away from that client. */
import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly server: string
  /** Destroys every open connection; new ones are served. */
  disconnect(): void
  /** From now on no byte passes: open connections hang, new ones get no answer. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

export async function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let isPaused = false
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
    }
    // No `pipe`, which would resume a paused socket.
    client.on('data', (bytes) => upstream.write(bytes)).on('close', () => upstream.destroy())
    upstream.on('data', (bytes) => client.write(bytes)).on('close', () => client.destroy())
    // Only now: listening for data starts the flow.
    if (isPaused) for (const socket of [client, upstream]) socket.pause()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address() as { readonly port: number }
  const disconnect = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    server: `https://127.0.0.1:${address.port}`,
    disconnect,
    pause() {
      isPaused = true
      for (const socket of open) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of open) socket.resume()
    },
    async close() {
      disconnect()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
