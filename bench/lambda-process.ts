/**
 * A bundled function in a Node of its own, with as much of a core as Lambda gives it for its memory:
 * a whole one at 1,769 MB, as a quota of a cgroup (v1 or v2). Where none can be made (that takes
 * root) it has a whole core, and `share` says so.
 *
 * Lambda gives a whole core while a function loads; here the quota holds from the first instruction.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const MB_OF_A_CORE = 1_769
/** Short, as in Lambda: a small share shows as many small pauses, not as few long ones. */
const QUOTA_PERIOD_US = 20_000
/** What Lambda's runtime leaves of the memory to the heap. */
const HEAP_SHARE = 0.9
const TICKS_PER_SECOND = 100

export const coreShare = (memoryMb: number) => memoryMb / MB_OF_A_CORE

export interface LambdaProcess {
  /** Of a core; undefined where no quota could be set. */
  readonly share: number | undefined
  /** Resolves with what the handler returns; one at a time, as in Lambda. */
  invoke(event: unknown, remainingMs: number): Promise<unknown>
  /** User and system time since its start. */
  cpuSeconds(): number
  /** The most memory it ever had. */
  peakMb(): number
  /** What it wrote to its log that CloudWatch would show as a warning or worse. */
  readonly complaints: readonly string[]
  stop(): Promise<void>
}

interface LambdaPlan {
  /** The bundle's entry. */
  readonly file: string
  readonly memoryMb: number
  readonly environment: Readonly<Record<string, string>>
}

export async function startLambda(plan: LambdaPlan): Promise<LambdaProcess> {
  const quota = makeQuota(coreShare(plan.memoryMb))
  const child = launch(plan, quota)
  const complaints: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => complaints.push(text.trim()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await answerOf(child)
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
  return {
    share: quota?.share,
    complaints,
    async invoke(event, remainingMs) {
      child.send({ event, remainingMs })
      return await answerOf(child)
    },
    cpuSeconds() {
      const fields = proc('stat').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
    },
    peakMb: () => Number(/^VmHWM:\s+(\d+)/m.exec(proc('status'))?.[1]) / 1_024,
    async stop() {
      child.kill('SIGKILL')
      await ended
      quota?.remove()
    },
  }
}

/** For the reader of the figures. */
export const shareSentence = ({ share }: LambdaProcess): string =>
  share === undefined
    ? 'no cgroup can be made here: it had a whole core, and these are not the figures of Lambda'
    : `it had ${share.toFixed(2)} of a core, by a cgroup quota`

/** Enters the cgroup before it becomes Node. */
function launch({ file, memoryMb, environment }: LambdaPlan, quota?: Quota): ChildProcess {
  const script = `
    const { handler } = await import(${JSON.stringify(pathToFileURL(file).href)})
    process.on('message', async ({ event, remainingMs }) => {
      const endMs = Date.now() + remainingMs
      const context = { getRemainingTimeInMillis: () => endMs - Date.now() }
      handler(event, context).then(
        (answer) => process.send({ answer }), (error) => process.send({ error: String(error) }))
    })
    process.on('disconnect', () => process.exit())
    process.send({})`
  const heap = `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`
  const enter = quota ? `echo $$ > ${quota.procs}; ` : ''
  const node = [process.execPath, heap, '--input-type=module', '-e', script]
  return spawn('sh', ['-c', `${enter}exec "$@"`, 'sh', ...node], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onExit = () => reject(new Error('the function ended before it answered'))
  child.once('exit', onExit)
  child.once('message', ({ answer, error }: { answer?: unknown; error?: string }) => {
    child.off('exit', onExit)
    if (error === undefined) resolve(answer)
    else reject(new Error(error))
  })
  return await promise
}

interface Quota {
  readonly share: number
  /** A process whose id is written here is bound by it. */
  readonly procs: string
  remove(): void
}

let made = 0

function makeQuota(share: number): Quota | undefined {
  const quotaUs = Math.round(QUOTA_PERIOD_US * share)
  const name = `leasehold-bench-${process.pid}-${made++}`
  const settings = existsSync('/sys/fs/cgroup/cpu')
    ? { root: '/sys/fs/cgroup/cpu', period: 'cpu.cfs_period_us', quota: 'cpu.cfs_quota_us' }
    : { root: '/sys/fs/cgroup', quota: 'cpu.max' }
  const folder = join(settings.root, name)
  try {
    mkdirSync(folder)
    if (settings.period) writeFileSync(join(folder, settings.period), String(QUOTA_PERIOD_US))
    const value = settings.period ? String(quotaUs) : `${quotaUs} ${QUOTA_PERIOD_US}`
    writeFileSync(join(folder, settings.quota), value)
  } catch {
    // Not root, or the parent has no such controller.
    if (existsSync(folder)) rmdirSync(folder)
    return undefined
  }
  return { share, procs: join(folder, 'cgroup.procs'), remove: () => rmdirSync(folder) }
}
