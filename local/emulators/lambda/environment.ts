/**
 * One execution environment, as Lambda has it: a process of its own that asks the Runtime API for
 * one event after the other, sees only the variables it was given, and stands still between events.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface LambdaFunction {
  readonly name: string
  /** `index.handler` */
  readonly handler: string
  readonly codeFolder: string
  readonly timeoutMs: number
  readonly memoryMb: number
  /** Concurrent runs at most; the next one is refused. Absent: the account's pool. */
  readonly reserved?: number
  readonly variables: Readonly<Record<string, string>>
}

/** What the function said, while it says it. */
export interface Answer {
  readonly isHttp: boolean
  readonly body: IncomingMessage
}

export interface EnvironmentOptions {
  /** What turns `node` into the runtime. */
  readonly runtime: readonly string[]
  readonly onLog: (text: string) => void
  /** It waits for an event. */
  readonly onIdle: () => void
  readonly onExit: () => void
}

export interface LambdaEnvironment {
  readonly isIdle: () => boolean
  /** Only while idle. */
  invoke(event: string): Promise<Answer>
  kill(): void
}

const HTTP_ANSWER = 'application/vnd.awslambda.http-integration-response'

export async function startEnvironment(
  made: LambdaFunction,
  options: EnvironmentOptions,
): Promise<LambdaEnvironment> {
  const api = runtimeApi(made, () => {
    // Lambda freezes the process until the next event: no timer fires, no connection is served.
    child.kill('SIGSTOP')
    options.onIdle()
  })
  const port = await listen(api.server)
  const child: ChildProcess = spawn(process.execPath, options.runtime, {
    cwd: made.codeFolder,
    env: environmentOf(made, port),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (said: Buffer) => options.onLog(said.toString()))
  child.once('exit', (code, signal) => {
    api.close(`the runtime exited (${signal ?? code})`)
    options.onExit()
  })
  const kill = () => void child.kill('SIGKILL')
  return {
    isIdle: api.isIdle,
    kill,
    async invoke(event) {
      child.kill('SIGCONT')
      const timer = setTimeout(kill, made.timeoutMs)
      return await api.deliver(event, () => clearTimeout(timer))
    },
  }
}

interface Running {
  readonly id: string
  readonly answer: PromiseWithResolvers<Answer>
  readonly onEnd: () => void
}

/** Lambda's Runtime API for one environment: the next event, its answer or its error. */
function runtimeApi(made: LambdaFunction, onIdle: () => void) {
  let waiting: ServerResponse | undefined
  let running: Running | undefined
  const isIdle = () => waiting !== undefined && running === undefined
  const end = () => {
    running?.onEnd()
    running = undefined
    if (isIdle()) onIdle()
  }
  const fail = (why: string) => {
    running?.answer.reject(new Error(`${made.name}: ${why}`))
    end()
  }
  const server = createServer(async (request, response) => {
    const [, id, how] = /invocation\/(.+)\/(response|error)$/.exec(request.url ?? '') ?? []
    if (request.url?.endsWith('/invocation/next')) {
      waiting = response
      if (isIdle()) onIdle()
    } else if (how === 'response' && id === running?.id) {
      const isHttp = request.headers['content-type'] === HTTP_ANSWER
      running?.answer.resolve({ isHttp, body: request })
      request.once('close', () => {
        response.writeHead(202).end()
        end()
      })
    } else {
      const said = await text(request)
      response.writeHead(202).end()
      fail(said)
    }
  })
  return {
    server,
    isIdle,
    deliver(event: string, onEnd: () => void): Promise<Answer> {
      running = { id: randomUUID(), answer: Promise.withResolvers<Answer>(), onEnd }
      waiting?.writeHead(200, {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': running.id,
        'lambda-runtime-deadline-ms': String(Date.now() + made.timeoutMs),
        'lambda-runtime-invoked-function-arn': `arn:aws:lambda:::function:${made.name}`,
      })
      waiting?.end(event)
      waiting = undefined
      return running.answer.promise
    },
    close(why: string) {
      waiting = undefined
      fail(why)
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Nothing of this machine but what Lambda sets, and the variables of the function. */
const environmentOf = (made: LambdaFunction, port: number) => ({
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LAMBDA_TASK_ROOT: made.codeFolder,
  _HANDLER: made.handler,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: made.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(made.memoryMb),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${made.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: randomUUID(),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  ...made.variables,
  AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
})

export async function listen(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', resolve)
  await promise
  // An environment may wait for its next event for as long as the command runs.
  server.requestTimeout = 0
  server.keepAliveTimeout = 0
  return (server.address() as AddressInfo).port
}
