/**
 * What does an idle agent cost its host? Runs the built file against a server that accepts all, ten
 * times faster than in production, and prints CPU per hour, resident memory and bytes per beat.
 *
 *   node agent/build.ts && node bench/idle-agent.ts [seconds] [path of another node]
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const SETTLE_SECONDS = 15
const TICKS_PER_SECOND = 100
/** In production a beat and a status update come every ten seconds each; here every second. */
const SPEED = 10
const [seconds = '60', node = process.execPath] = process.argv.slice(2)

let beats = 0
const sockets = new Set<Socket>()
const stored = new Map<string, Record<string, unknown>>()
const server = createServer(async (request, response) => {
  const body = await bodyOf(request)
  const isBeat = request.method === 'PUT'
  if (isBeat) beats++
  response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(answer(request, body)))
})
server.on('connection', (socket) => sockets.add(socket))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const folder = mkdtempSync(join(tmpdir(), 'leasehold-measure-'))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const agent = spawn(
  node,
  [
    ...['--max-semi-space-size=1', '--max-old-space-size=64', 'dist/leasehold-agent.cjs'],
    ...['--server', url, '--bootstrap-token', 'abcdef.0123456789abcdef', '--node-name', 'measured'],
    ...['--node-lease-duration-seconds', '4', '--node-status-update-frequency', '1s'],
    ...['--node-status-report-frequency', '5m', '--state-dir', folder],
  ],
  { stdio: 'ignore' },
)
await sleep(SETTLE_SECONDS * 1_000)
const before = sample()
await sleep(Number(seconds) * 1_000)
const after = sample()
agent.kill()
server.closeAllConnections()
server.close()
rmSync(folder, { recursive: true })

const taken = after.beats - before.beats
const hours = (taken * SPEED) / 3_600
console.log(`beats            ${taken}`)
console.log(`CPU per hour     ${((after.cpuSeconds - before.cpuSeconds) / hours).toFixed(1)} s`)
console.log(`resident         ${(after.residentKib / 1_024).toFixed(0)} MiB`)
console.log(
  `bytes per beat   ${Math.round((after.bytes - before.bytes) / taken)} (both ways, HTTP)`,
)
console.log(`connections      ${sockets.size}`)

function sample() {
  const stat = readFileSync(`/proc/${agent.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8')
  const bytes = [...sockets].reduce((sum, each) => sum + each.bytesRead + each.bytesWritten, 0)
  return {
    beats,
    cpuSeconds: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND,
    residentKib: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]),
    bytes,
  }
}

function answer({ method, url: path = '' }: IncomingMessage, body: string): unknown {
  if (path.endsWith('/token')) {
    const spec = { expirationSeconds: 604_800, boundObjectRef: { kind: 'Node' } }
    return { spec, status: { token: 'measured' } }
  }
  const key = path.replace(/\/status$/, '')
  if (method === 'GET' || method === 'PATCH') return stored.get(key) ?? missing(key)
  const object = JSON.parse(body) as { metadata: Record<string, unknown> }
  const { name } = object.metadata
  const metadata = { uid: 'u', ...object.metadata, resourceVersion: String(beats) }
  const kept = { ...object, metadata }
  stored.set(method === 'POST' ? `${key}/${name}` : key, kept)
  return kept
}

/** A GET of an object that was not created answers with one owned by the host. */
function missing(key: string) {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'measured', uid: 'u' }
  return { metadata: { name: key.split('/').at(-1), ownerReferences: [owner] } }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
