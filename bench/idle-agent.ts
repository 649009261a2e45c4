/**
 * What does an idle agent cost its host? Runs the built file against a server that accepts all, ten
 * times faster than in production, and prints CPU per hour, resident memory and bytes per beat.
 * `npm run measure:agent` brings the Node it needs: on one before 22.18 this file cannot be read.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { flag, stringFlag, UsageError, wholeFlag } from '../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../shared/flags/program.ts'

const SETTLE_SECONDS = 15
const TICKS_PER_SECOND = 100
/** In production a beat and a status update come every ten seconds each; here every second. */
const SPEED = 10
const BUILT = 'dist/leasehold-agent.cjs'
const LONGEST_SECONDS = 3_600

let beats = 0
const sockets = new Set<Socket>()
const stored = new Map<string, Record<string, unknown>>()

async function measure(seconds: number, node: string): Promise<number> {
  if (!existsSync(BUILT)) throw new UsageError(`${BUILT} is not there: run "npm run build:agent"`)
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    if (request.method === 'PUT') beats++
    const code = request.method === 'POST' ? 201 : 200
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer(request, body)))
  })
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-measure-'))
  const agent = startAgent(
    node,
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
  )
  try {
    await sleep(SETTLE_SECONDS * 1_000)
    const before = sample(agent.pid)
    await sleep(seconds * 1_000)
    tell(before, sample(agent.pid))
  } finally {
    agent.kill()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  }
  return 0
}

const startAgent = (node: string, url: string, folder: string) =>
  spawn(
    node,
    [
      ...['--max-semi-space-size=1', '--max-old-space-size=64', BUILT, '--node-name', 'measured'],
      ...['--server', url, '--bootstrap-token', 'abcdef.0123456789abcdef'],
      ...['--node-lease-duration-seconds', '4', '--node-status-update-frequency', '1s'],
      ...['--node-status-report-frequency', '5m', '--state-dir', folder],
    ],
    { stdio: 'ignore' },
  )

type Sample = ReturnType<typeof sample>

function tell(before: Sample, after: Sample): void {
  const taken = after.beats - before.beats
  const hours = (taken * SPEED) / 3_600
  const bytes = Math.round((after.bytes - before.bytes) / taken)
  console.log(`beats            ${taken}`)
  console.log(`CPU per hour     ${((after.cpuSeconds - before.cpuSeconds) / hours).toFixed(1)} s`)
  console.log(`resident         ${(after.residentKib / 1_024).toFixed(0)} MiB`)
  console.log(`bytes per beat   ${bytes} (both ways, HTTP)`)
  console.log(`connections      ${sockets.size}`)
}

function sample(pid: number | undefined) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
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

const program: Program = {
  call: 'npm run measure:agent --',
  summary: 'Measures the built agent, idle: CPU, memory and bytes.',
  flags: {
    seconds: flag('N', 'how long', '60'),
    node: flag('FILE', 'the Node that runs the agent: 20 or later', 'this one'),
  },
  notes: 'Needs what "npm run build:agent" builds.',
  run: ({ seconds, node }) =>
    measure(
      wholeFlag('seconds', stringFlag(seconds) ?? '60', LONGEST_SECONDS, 1),
      stringFlag(node) ?? process.execPath,
    ),
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
