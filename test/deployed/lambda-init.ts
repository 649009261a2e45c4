/**
 * What LocalStack starts in a function's container, in place of its own binary, which is a download
 * of its own: AWS's Runtime API towards the runtime, LocalStack's protocol towards LocalStack. Runs
 * in the container with nothing but Node.
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { json, text } from 'node:stream/consumers'

const { LOCALSTACK_RUNTIME_ENDPOINT = '', LOCALSTACK_RUNTIME_ID = '', ...variables } = process.env
const timeoutMs = Number(variables.AWS_LAMBDA_FUNCTION_TIMEOUT ?? 3) * 1000
/** Where LocalStack hands over events. */
const INVOKE_PORT = 9563
const RUNTIME_PORT = 9001

interface Invocation {
  readonly 'invoke-id': string
  readonly 'invoked-function-arn': string
  readonly payload: string
}

const waiting: Invocation[] = []
let runtime: ServerResponse | undefined
let isReady = false
let said = ''
let deadline: NodeJS.Timeout | undefined

const tell = (path: string, body: string) =>
  fetch(`${LOCALSTACK_RUNTIME_ENDPOINT}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

/** One event at a time: the runtime asks for the next one when it is done. */
function handOver(): void {
  const next = runtime && waiting.shift()
  if (!next) return
  const id = next['invoke-id']
  deadline = setTimeout(async () => {
    await end(id, 'error', JSON.stringify({ errorMessage: `timed out after ${timeoutMs} ms` }))
    process.exit(1)
  }, timeoutMs)
  runtime?.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': id,
    'lambda-runtime-deadline-ms': String(Date.now() + timeoutMs),
    'lambda-runtime-invoked-function-arn': next['invoked-function-arn'],
  })
  runtime?.end(next.payload)
  runtime = undefined
}

async function end(id: string, how: string, body: string): Promise<void> {
  clearTimeout(deadline)
  const logs = said
  said = ''
  await tell(`/invocations/${id}/logs`, JSON.stringify({ logs }))
  await tell(`/invocations/${id}/${how}`, body)
}

const runtimeApi = createServer(async (request, response) => {
  const path = request.url ?? ''
  if (path.endsWith('/invocation/next')) {
    runtime = response
    if (!isReady) await tell(`/status/${LOCALSTACK_RUNTIME_ID}/ready`, '')
    isReady = true
    return handOver()
  }
  const body = await text(request)
  const [, id, how] = /invocation\/([^/]+)\/(response|error)$/.exec(path) ?? []
  if (id && how) await end(id, how, body)
  else await tell(`/status/${LOCALSTACK_RUNTIME_ID}/error`, body)
  response.writeHead(202).end()
})

const invocations = createServer(async (request, response) => {
  waiting.push((await json(request)) as Invocation)
  response.end()
  handOver()
})

/** The name under which one function calls another is known to no name server. */
function nameHosts(): void {
  const address = new URL(LOCALSTACK_RUNTIME_ENDPOINT).hostname
  const urls = Object.values(variables).filter((value) => value?.startsWith('http'))
  const names = urls.map((url) => new URL(url ?? '').hostname)
  for (const name of names.filter((each) => each.endsWith('.localstack.cloud')))
    appendFileSync('/etc/hosts', `${address} ${name}\n`)
}

function startRuntime(): void {
  const child = spawn('/var/runtime/bootstrap', [], {
    cwd: '/var/task',
    env: { ...variables, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${RUNTIME_PORT}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (words: Buffer) => {
      said += words
      process.stdout.write(words)
    })
  child.once('exit', (code) => process.exit(code ?? 1))
}

nameHosts()
invocations.listen(INVOKE_PORT)
runtimeApi.listen(RUNTIME_PORT, '127.0.0.1', startRuntime)
process.once('SIGTERM', () => process.exit(0))
