/** Stands between a client and the server, and can cut every wire at once. */
import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly server: string
  cut(): void
  close(): Promise<void>
}

export function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const wires = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const wire of [client, upstream]) {
      wires.add(wire)
      wire.on('error', () => {}).on('close', () => wires.delete(wire))
    }
    client.pipe(upstream).pipe(client)
  })
  const cut = () => {
    for (const wire of wires) wire.destroy()
  }
  const close = () =>
    new Promise<void>((resolve) => {
      proxy.close(() => resolve())
      cut()
    })
  return new Promise((resolve) => {
    proxy.listen(0, '127.0.0.1', () => {
      const { port: own } = proxy.address() as { readonly port: number }
      resolve({ server: `https://127.0.0.1:${own}`, cut, close })
    })
  })
}
