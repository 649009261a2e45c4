/**
 * How is a simulated host stopped from another terminal? `npm run hosts -- stop zone-a` writes one
 * line to a Unix socket in the data folder and prints the answer. Only this user can open it.
 */
import { rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

export type HostVerb = 'stop' | 'start' | 'leave' | 'list'
export const hostVerbs: readonly HostVerb[] = ['stop', 'start', 'leave', 'list']

/**
 * Applies the verb to a host, a zone or `all`; returns what it did, for the terminal. Throws what
 * kept it from that.
 */
export type HostControl = (verb: HostVerb, target: string) => Promise<string>

interface ControlAnswer {
  readonly isDone: boolean
  readonly text: string
}

/** Begins an answer that tells why nothing was done. */
const REFUSED = 'failed: '

const LONGEST_LINE = 1_000

export const controlSocketIn = (folder: string) => join(folder, 'control.sock')

export function listenForControl(
  socketFile: string,
  control: HostControl,
): Promise<{ stop(): Promise<void> }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ stop(): Promise<void> }>()
  rmSync(socketFile, { force: true })
  const server = createServer((socket) => answer(socket, control))
  server.once('error', reject)
  server.listen(socketFile, () => resolve({ stop: async () => void server.close() }))
  return promise
}

function answer(socket: Socket, control: HostControl): void {
  let line = ''
  socket.setEncoding('utf8').on('error', () => socket.destroy())
  socket.on('data', async (chunk) => {
    line += chunk
    if (line.length > LONGEST_LINE) return socket.destroy()
    if (!line.includes('\n')) return
    socket.end(`${await reply(line.trim(), control)}\n`)
  })
}

async function reply(line: string, control: HostControl): Promise<string> {
  const [verb, target = 'all'] = line.split(' ')
  const known = hostVerbs.find((word) => word === verb)
  if (known === undefined) return `${REFUSED}${verb} is unknown; there is ${hostVerbs.join(', ')}`
  try {
    return await control(known, target)
  } catch (error) {
    return `${REFUSED}${(error as Error).message}`
  }
}

export function askControl(
  socketFile: string,
  verb: string,
  target: string,
): Promise<ControlAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ControlAnswer>()
  let text = ''
  const socket = createConnection(socketFile, () => socket.write(`${verb} ${target}\n`))
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const read = (): ControlAnswer => {
    const isDone = !text.startsWith(REFUSED)
    return { isDone, text: (isDone ? text : text.slice(REFUSED.length)).trim() }
  }
  socket.on('end', () => resolve(read())).on('error', reject)
  return promise
}
