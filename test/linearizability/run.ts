/** One run: the system, its clients and its faults, until the time is over; then the final reads. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpsClient } from '../local-system/https-client.ts'
import { rngOf } from '../simulation/rng.ts'
import { type Client, perform, type Recorder, type Target, work } from './client.ts'
import { type Entry, formatHistory } from './history.ts'
import type { Mutant } from './mutants.ts'
import { type DoneFault, doFaults, planFaults, QUIET_END_MS } from './nemesis.ts'
import type { RunOptions } from './options.ts'
import { type SystemUnderTest, startSystemUnderTest } from './system.ts'

export interface Run {
  readonly entries: readonly Entry[]
  readonly faults: readonly DoneFault[]
  readonly plannedFaults: number
  /** Answers that were lost or delayed, by how. */
  readonly answersMet: ReadonlyMap<string, number>
  readonly unsent: number
  readonly serverExits: number
  readonly historyFile: string
}

/**
 * A search through one history grows with the calls that stay open in it, so no key is used for
 * longer than this.
 */
const ROUND_MS = 12_000
const FINAL_READ_TRIES = 100
const FINAL_READ_WAIT_MS = 200

export async function run(options: RunOptions, mutant?: Mutant): Promise<Run> {
  mkdirSync(options.out, { recursive: true })
  const starting = startSystemUnderTest(options.out, mutant?.rewrite)
  // A signal that comes while it starts waits for that: half a system could not be ended.
  const ended = () => starting.then((system) => system.stop())
  const stopOnSignal = () => void ended().finally(() => process.exit(1))
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, stopOnSignal)
  try {
    return await runOn(await starting, options, mutant)
  } finally {
    for (const signal of signals) process.off(signal, stopOnSignal)
    await ended()
  }
}

async function runOn(system: SystemUnderTest, options: RunOptions, mutant?: Mutant): Promise<Run> {
  const durationMs = options.seconds * 1_000
  const recorder = newRecorder()
  const clients = await startClients(system, options, recorder, mutant)
  const faults: DoneFault[] = []
  const plan = planFaults(options.seed, durationMs, options)
  const hand = {
    system,
    rng: rngOf(options.seed, 'share'),
    nowUs: recorder.nowUs,
    untilMs: durationMs - QUIET_END_MS,
    answeredUs: () => recorder.answeredUs,
    onDone: (done: DoneFault) => faults.push(done),
  }
  const targets = () => {
    const nowMs = recorder.nowUs() / 1_000
    return nowMs < durationMs ? targetsOf(Math.floor(nowMs / ROUND_MS)) : []
  }
  await Promise.all([
    ...clients.map((client) => work(client, targets)),
    doFaults(plan.processes, hand),
    doFaults(plan.network, hand),
  ])
  await readAll(clients[0]!, Math.ceil(durationMs / ROUND_MS))
  for (const { http } of clients) http.close()

  const historyFile = join(options.out, 'history.jsonl')
  const entries = recorder.entries.toSorted((a, b) => a.invokedUs - b.invokedUs)
  writeFileSync(historyFile, formatHistory(entries))
  writeFileSync(join(options.out, 'faults.json'), JSON.stringify(faults, undefined, 1))
  return {
    entries,
    faults,
    plannedFaults: plan.processes.length + plan.network.length,
    answersMet: system.proxy.met,
    unsent: recorder.unsent,
    serverExits: system.ownExits(),
    historyFile,
  }
}

function newRecorder(): Recorder {
  const startMs = performance.now()
  let last = 0
  const nextId = () => {
    last += 1
    return last
  }
  const nowUs = () => Math.round((performance.now() - startMs) * 1_000)
  return { entries: [], nowUs, nextId, answeredUs: 0, unsent: 0 }
}

async function startClients(
  system: SystemUnderTest,
  { clients, seed }: RunOptions,
  recorder: Recorder,
  mutant?: Mutant,
): Promise<readonly Client[]> {
  const numbers = Array.from({ length: clients }, (_, at) => at)
  return await Promise.all(
    numbers.map(async (number) => {
      // One user each: the service limits how much one user may ask for.
      const plain: HttpsClient = await system.client(`linearizability-${number}`)
      const http = mutant?.transport?.(plain) ?? plain
      return { number, http, rng: rngOf(seed, `client ${number}`), recorder }
    }),
  )
}

/** All clients on one lease, then on five, then on a Node, and again. */
export function targetsOf(round: number): readonly Target[] {
  if (round % 3 === 2) {
    const name = `round-${round}`
    return [{ key: `nodes/${name}`, kind: 'node', namespace: '', name }]
  }
  if (round % 3 === 0) return [leaseTarget('default', `round-${round}`)]
  const locks = ['a', 'b', 'c', 'd'].map((each) => leaseTarget('default', `round-${round}-${each}`))
  return [...locks, leaseTarget('kube-node-lease', `round-${round}-beat`)]
}

function leaseTarget(namespace: string, name: string): Target {
  const kind = namespace === 'kube-node-lease' ? 'nodeLease' : 'lease'
  return { key: `leases/${namespace}/${name}`, kind, namespace, name }
}

/** What was written and never read shows here. */
async function readAll(client: Client, rounds: number): Promise<void> {
  const targets = Array.from({ length: rounds }, (_, round) => targetsOf(round)).flat()
  let tries = 0
  for (const target of targets) {
    for (;;) {
      const entry = await perform(client, target, client.recorder.nextId(), { do: 'read' })
      if (entry && (entry.outcome === 'ok' || entry.why === 'missing')) break
      tries += 1
      if (tries > FINAL_READ_TRIES) throw new Error('the service does not answer after the run')
      await sleep(FINAL_READ_WAIT_MS)
    }
  }
}
