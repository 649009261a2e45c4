/** The command line of `npm run linearizability`. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type FlagSet,
  type FlagValues,
  flag,
  stringFlag,
  UsageError,
  wholeFlag,
} from '../../shared/flags/flag-set.ts'

export interface RunOptions {
  readonly seconds: number
  readonly kills: number
  readonly lost: number
  readonly seed: number
  readonly clients: number
  readonly out: string
}

export interface Options extends RunOptions {
  readonly mutants: boolean
  /** A history that was kept, to be judged again. */
  readonly history?: string
}

/** Where there is no Go there is no judge; .ci/run takes this code for "skipped". */
export const SKIPPED_CODE = 75

/** Enough for each kind of fault, and short enough for every commit. */
const LANE = { seconds: 75, kills: 6, lost: 14 }

export const flags: FlagSet = {
  minutes: flag('M', 'how long the clients work', '1'),
  seconds: flag('S', 'the same in seconds'),
  kills: flag('N', 'SIGKILLs of server, database or both; with every five a SIGSTOP', '5'),
  lost: flag('N', 'windows of lost or delayed answers; with every five a cut', '12'),
  seed: flag('X', 'what the faults and calls are drawn from', 'any'),
  clients: flag('N', 'how many work at once', '8'),
  out: flag('DIR', 'where the history goes', 'a new folder'),
  lane: { usage: `the short run of .ci/run: ${LANE.seconds} s` },
  mutants: { usage: 'plant known lies, one after another: each must be found' },
  history: flag('FILE', 'judge this history and run nothing'),
}

const LONGEST_SECONDS = 3_600
const MOST_FAULTS = 2_000
const MOST_CLIENTS = 64

export function readOptions(values: FlagValues, anySeed: number): Options {
  const text = (name: string) => stringFlag(values[name])
  const lane = values.lane === true ? LANE : undefined
  const number = (name: string, most: number, byDefault: number) =>
    text(name) === undefined ? byDefault : wholeFlag(name, text(name)!, most)
  const seed = number('seed', 2 ** 31, anySeed)
  return {
    seconds: lane?.seconds ?? secondsOf(text),
    kills: number('kills', MOST_FAULTS, lane?.kills ?? 5),
    lost: number('lost', MOST_FAULTS, lane?.lost ?? 12),
    seed,
    clients: Math.max(1, number('clients', MOST_CLIENTS, 8)),
    out: text('out') ?? join(tmpdir(), `leasehold-linearizability-${seed}`),
    mutants: values.mutants === true,
    history: text('history'),
  }
}

function secondsOf(text: (name: string) => string | undefined): number {
  const [minutes, seconds] = [text('minutes'), text('seconds')]
  if (minutes !== undefined && seconds !== undefined)
    throw new UsageError('give --minutes or --seconds, not both')
  const total = seconds === undefined ? Number(minutes ?? 1) * 60 : Number(seconds)
  if (total >= 5 && total <= LONGEST_SECONDS) return total
  throw new UsageError(`a run takes from 5 seconds to ${LONGEST_SECONDS / 60} minutes`)
}
