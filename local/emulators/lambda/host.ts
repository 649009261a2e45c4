/**
 * Runs functions the way Lambda does: one event at a time in each environment, a new environment
 * when all are busy, kept for later events.
 */
import {
  type Answer,
  type EnvironmentOptions,
  type LambdaEnvironment,
  type LambdaFunction,
  startEnvironment,
} from './environment.ts'

export interface LambdaHost {
  /** Replaces all functions; environments of the old ones end after what they are doing. */
  define(functions: readonly LambdaFunction[]): void
  invoke(name: string, event: unknown): Promise<Answer>
  /** Ends what runs of a function at once, in the middle of whatever it does. */
  kill(name: string): void
  /** How many environments each function has: a watch occupies one. */
  environments(name: string): number
  stop(): Promise<void>
}

/** Lambda would answer 429 or start a thousand; a laptop lets the next event wait. */
const MOST_ENVIRONMENTS = 64

export class Throttled extends Error {}

interface Waiting {
  readonly event: string
  readonly answer: PromiseWithResolvers<Answer>
}

interface Pool {
  readonly made: LambdaFunction
  readonly environments: Set<LambdaEnvironment>
  readonly queue: Waiting[]
  isStarting: boolean
  isRetired: boolean
}

type HostOptions = Pick<EnvironmentOptions, 'runtime'> & {
  readonly onLog: (name: string, text: string) => void
  /** Of each function. Default 64; what comes beyond waits. */
  readonly mostEnvironments?: number
}

export function lambdaHost(options: HostOptions): LambdaHost {
  let pools = new Map<string, Pool>()

  const retire = (pool: Pool) => {
    pool.isRetired = true
    for (const environment of pool.environments) if (environment.isIdle()) environment.kill()
    for (const { answer } of pool.queue.splice(0))
      answer.reject(new Error(`${pool.made.name} was replaced`))
  }

  return {
    define(functions) {
      for (const pool of pools.values()) retire(pool)
      pools = new Map(functions.map((made) => [made.name, emptyPool(made)]))
    },
    async invoke(name, event) {
      const pool = pools.get(name)
      if (!pool) throw new Error(`there is no function ${name}`)
      return await invokeIn(pool, JSON.stringify(event), options)
    },
    kill(name) {
      for (const environment of pools.get(name)?.environments ?? []) environment.kill()
    },
    environments: (name) => pools.get(name)?.environments.size ?? 0,
    async stop() {
      for (const pool of pools.values()) {
        retire(pool)
        for (const environment of pool.environments) environment.kill()
      }
    },
  }
}

const emptyPool = (made: LambdaFunction): Pool => ({
  made,
  environments: new Set(),
  queue: [],
  isStarting: false,
  isRetired: false,
})

function invokeIn(pool: Pool, event: string, options: HostOptions): Promise<Answer> {
  const idle = [...pool.environments].find((environment) => environment.isIdle())
  if (idle) return idle.invoke(event)
  const size = pool.environments.size
  if (size >= (pool.made.reserved ?? Number.POSITIVE_INFINITY)) throw new Throttled('Rate exceeded')
  const answer = Promise.withResolvers<Answer>()
  pool.queue.push({ event, answer })
  startForQueue(pool, options)
  return answer.promise
}

/** One at a time: a fleet that joins at once must not start a process for each of its hosts. */
function startForQueue(pool: Pool, options: HostOptions): void {
  const { queue, isStarting, environments } = pool
  const { mostEnvironments = MOST_ENVIRONMENTS } = options
  if (queue.length > 0 && !isStarting && environments.size < mostEnvironments)
    void addEnvironment(pool, options)
}

async function addEnvironment(pool: Pool, options: HostOptions): Promise<void> {
  const { made } = pool
  const { runtime, onLog } = options
  pool.isStarting = true
  let isNew = true
  const environment = await startEnvironment(made, {
    runtime,
    onLog: (text) => onLog(made.name, text),
    onIdle: () => {
      if (isNew) pool.isStarting = false
      isNew = false
      if (pool.isRetired) return environment.kill()
      const next = pool.queue.shift()
      if (next) environment.invoke(next.event).then(next.answer.resolve, next.answer.reject)
      startForQueue(pool, options)
    },
    onExit: () => {
      pool.environments.delete(environment)
      // It died before its first event: what waits for it must not wait for ever.
      const why = new Error(`${made.name} does not start: see its log`)
      if (isNew) pool.queue.shift()?.answer.reject(why)
      if (isNew) pool.isStarting = false
      startForQueue(pool, options)
    },
  })
  pool.environments.add(environment)
}
