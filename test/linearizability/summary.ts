/** What a run prints at its end. */
import { median, type Outage, outages } from './availability.ts'
import type { Violation } from './direct-checks.ts'
import { type Entry, isWrite } from './history.ts'
import type { Verdict } from './judge.ts'
import type { RunOptions } from './options.ts'
import type { Run } from './run.ts'

export interface Judged {
  readonly verdicts: readonly Verdict[]
  readonly violations: readonly Violation[]
}

const MOST_TOLD = 20
/** Fewer writes than this prove nothing, whatever the judge says of them. */
const FEWEST_WRITES = 100

export const isClean = ({ verdicts, violations }: Judged): boolean =>
  violations.length === 0 && verdicts.every(({ result }) => result === 'Ok')

export const isTelling = ({ entries }: Run): boolean =>
  entries.filter((entry) => isWrite(entry) && entry.outcome === 'ok').length >= FEWEST_WRITES

export function summary(options: RunOptions, run: Run, judged: Judged): string {
  const { entries, historyFile, unsent, serverExits } = run
  const { seed, seconds, clients } = options
  return [
    `seed ${seed}, ${seconds} s, ${clients} clients, ${entries.length} operations`,
    ...operationLines(entries),
    `  ${unsent} calls met no server and count as not made`,
    `faults: ${faultText(run)}`,
    ...(run.faults.length < run.plannedFaults
      ? [`  ${run.plannedFaults - run.faults.length} more did not fit into the time`]
      : []),
    ...(serverExits > 0 ? [`the server ended by itself ${serverExits} times`] : []),
    ...availabilityLines(outages(entries, run.faults)),
    ...(isTelling(run) ? [] : [`too few writes to tell anything: under ${FEWEST_WRITES}`]),
    ...verdictLines(judged),
    `history: ${historyFile}`,
  ].join('\n')
}

function operationLines(entries: readonly Entry[]): readonly string[] {
  const groups = Map.groupBy(entries, ({ kind, call }) => `${kind} ${call.do}`)
  return [...groups].toSorted().map(([name, group]) => {
    const of = (outcome: string) => group.filter((entry) => entry.outcome === outcome).length
    const counts = ['ok', 'refused', 'unknown'].map(
      (each) => `${each} ${String(of(each)).padStart(6)}`,
    )
    return `  ${name.padEnd(18)} ${counts.join('  ')}`
  })
}

function faultText({ faults, answersMet }: Run): string {
  const kinds = Map.groupBy(faults, ({ fault }) => fault.kind)
  const counted = [...kinds].toSorted().map(([kind, group]) => `${group.length} ${kind}`)
  const met = [...answersMet].toSorted().map(([kind, count]) => `${count} ${kind}`)
  const answers = met.length > 0 ? ` (answers met: ${met.join(', ')})` : ''
  return `${counted.join(', ') || 'none'}${answers}`
}

function availabilityLines(found: readonly Outage[]): readonly string[] {
  const kinds = Map.groupBy(found, ({ kind }) => kind)
  return [...kinds].toSorted().map(([kind, group]) => {
    const silent = group.map(({ silentMs }) => silentMs)
    const restart = group.map(({ restartMs }) => restartMs)
    return (
      `without an answer after ${kind}: longest ${seconds(Math.max(...silent))}, ` +
      `median ${seconds(median(silent))} (of which until it ran again: ` +
      `longest ${seconds(Math.max(...restart))}, median ${seconds(median(restart))})`
    )
  })
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`

export function verdictLines({ verdicts, violations }: Judged): readonly string[] {
  const linearizable = verdicts.filter(({ result }) => result === 'Ok').length
  const others = verdicts.filter(({ result }) => result !== 'Ok')
  const kinds = Map.groupBy(violations, ({ check }) => check)
  return [
    `linearizable: ${linearizable} of ${verdicts.length} keys`,
    ...others.slice(0, MOST_TOLD).map(verdictLine),
    `direct checks: ${violations.length} violations`,
    ...[...kinds].map(([check, group]) => `  ${group.length} ${check}`),
    ...violations
      .slice(0, MOST_TOLD)
      .map(({ key, what, entries }) => `  ${key}: ${what} (${ids(entries)})`),
  ]
}

function verdictLine({ key, operations, result, page, tookMs }: Verdict): string {
  const said = result === 'Illegal' ? 'NOT linearizable' : `undecided after ${seconds(tookMs)}`
  return `  ${key}, ${operations} operations: ${said}, see ${page}`
}

const ids = (entries: readonly number[]) => entries.map((id) => `#${id}`).join(', ')
