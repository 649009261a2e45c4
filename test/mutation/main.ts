/** `npm run mutants`: does a test notice when a line is spoiled? */
import { createHash } from 'node:crypto'
import {
  type FlagValues,
  flag,
  stringFlag,
  UsageError,
  wholeFlag,
} from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { type Mutant, oneLine } from './find-mutants.ts'
import { sweptSources } from './loading.ts'
import { playPromises } from './play-promises.ts'
import { openPlayers } from './players.ts'
import { readSurvivors, recordScores } from './scores.ts'
import { currentCoverage, openVerdicts, playMutant, type Verdict } from './sweep.ts'

/** Of a sample, so much may survive without a reason in survivors.json. */
const UNEXPLAINED_SHARE = 0.4

const MOST_SAMPLED = 1_000_000

const program: Program = {
  call: 'npm run mutants --',
  summary: `Spoils shared/lifecycle, functions/monitor and shared/auth in one place at a time and looks whether a
unit test that runs that place fails.`,
  flags: {
    file: flag('TEXT', 'only sources whose path contains TEXT', 'all'),
    sample: flag('N', 'only N, chosen by the seed; writes nothing', 'all'),
    seed: flag('TEXT', 'chooses the sample', '1'),
    promises: {
      usage:
        'instead: the named safety lines of test/mutation/promises.ts whose promise\ncontains TEXT',
    },
    known: {
      usage:
        'play nothing: write down what an unfinished sweep knows; what survived the tests of\nan earlier day is counted as a survivor',
    },
    slow: { usage: 'ask the simulation too about what no unit test catches: ten seconds each' },
    again: { usage: 'forget what is known from earlier runs' },
  },
  operands: { shown: '[TEXT]', least: 0, most: 100 },
  notes: `Goes on where it was ended; writes test/mutation/scores.json and survivors.json.`,
  run: (values, words) => (values.promises ? playPromises(words.join(' ')) : sweep(values, words)),
}

interface Sweep {
  readonly sample: number | undefined
  readonly seed: string
  readonly isAgain: boolean
  readonly isSlow: boolean
}

async function sweep(values: FlagValues, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new UsageError(`what is "${words[0]}"?`)
  const file = stringFlag(values.file) ?? ''
  const size = stringFlag(values.sample)
  const plan: Sweep = {
    sample: size === undefined ? undefined : wholeFlag('sample', size, MOST_SAMPLED, 1),
    seed: stringFlag(values.seed) ?? '1',
    isAgain: values.again === true,
    isSlow: values.slow === true,
  }
  const sources = [...sweptSources()].filter(([path]) => path.includes(file))
  const mutants = sources.flatMap(([, source]) => source.mutants)
  const chosen = plan.sample === undefined ? mutants : sampled(mutants, plan.sample, plan.seed)
  if (chosen.length === 0) throw new UsageError(`--file ${file}: no source that is swept`)
  console.log(`${chosen.length} of ${mutants.length} mutants in ${sources.length} files`)
  if (values.known) return concludeSweep(chosen, knownVerdicts(chosen))
  const byFile = Map.groupBy(mutants, (mutant) => mutant.file)
  const verdicts = await played(plan, chosen, byFile)
  return plan.sample === undefined
    ? concludeSweep(chosen, verdicts)
    : concludeSample(verdicts, plan.seed)
}

function sampled(mutants: readonly Mutant[], size: number, seed: string): readonly Mutant[] {
  const place = ({ id }: Mutant) => createHash('sha256').update(`${seed}\n${id}`).digest('hex')
  const places = new Map(mutants.map((mutant) => [mutant, place(mutant)]))
  const order = (one: Mutant, other: Mutant) => (places.get(one)! < places.get(other)! ? -1 : 1)
  return mutants.toSorted(order).slice(0, size)
}

type Verdicts = ReadonlyMap<Mutant, Verdict>

function knownVerdicts(chosen: readonly Mutant[]): Verdicts {
  const known = openVerdicts()
  return new Map(
    chosen.flatMap((mutant) => {
      const verdict = known.get(mutant)
      return verdict ? [[mutant, verdict] as const] : []
    }),
  )
}

async function played(
  { sample, isAgain, isSlow }: Sweep,
  chosen: readonly Mutant[],
  byFile: ReadonlyMap<string, readonly Mutant[]>,
): Promise<Verdicts> {
  const coverage = await currentCoverage()
  const known = openVerdicts(coverage.key)
  const isNew = isAgain || sample !== undefined
  const players = openPlayers()
  const verdicts = new Map<Mutant, Verdict>()
  const startedAtMs = performance.now()
  try {
    for (const mutant of chosen) {
      const verdict =
        (isNew ? undefined : known.get(mutant)) ??
        (await playMutant(players, coverage, mutant, {
          neighbours: byFile.get(mutant.file)!,
          isSlowAsked: isSlow,
        }))
      known.set(mutant, verdict)
      verdicts.set(mutant, verdict)
      if (verdicts.size % 50 === 0) known.save()
      if (verdict.kind !== 'caught') console.log(`${verdict.kind.padEnd(9)} ${describe(mutant)}`)
    }
  } finally {
    players.close()
    known.save()
  }
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0)
  console.log(`played in ${seconds} s`)
  return verdicts
}

function describe({ id, file, line, within, original, mutated }: Mutant): string {
  const becomes = mutated === undefined ? 'dropped' : `-> ${short(mutated)}`
  return `${id} ${file}:${line} ${within}: ${short(original)} ${becomes}`
}

function short(text: string): string {
  const line = oneLine(text)
  return line.length > 90 ? `${line.slice(0, 89)}…` : line
}

function concludeSample(verdicts: Verdicts, seed: string): number {
  const reasons = new Map(readSurvivors().map(({ id, reason }) => [id, reason]))
  const survived = [...verdicts].filter(([, { kind }]) => kind !== 'caught')
  const unexplained = survived.filter(([{ id }]) => !reasons.get(id))
  const caught = verdicts.size - survived.length
  const share = ((100 * caught) / verdicts.size).toFixed(0)
  console.log(
    `${caught} of ${verdicts.size} mutants caught (${share} %), seed ${seed}; ` +
      `${survived.length - unexplained.length} survive for a known reason, ${unexplained.length} for none`,
  )
  return unexplained.length > UNEXPLAINED_SHARE * verdicts.size ? 1 : 0
}

function concludeSweep(chosen: readonly Mutant[], verdicts: Verdicts): number {
  const { lines, unexplained } = recordScores(chosen, verdicts)
  for (const line of lines) console.log(line)
  if (unexplained > 0) {
    console.log(`${unexplained} survivors need a test, or a reason in test/mutation/survivors.json`)
  }
  return unexplained > 0 ? 1 : 0
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
