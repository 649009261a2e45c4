/** `npm run mutants`: see HELP. */
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Mutant, oneLine } from './find-mutants.ts'
import { sweptSources } from './loading.ts'
import { playPromises } from './play-promises.ts'
import { openPlayers } from './players.ts'
import { readSurvivors, recordScores } from './scores.ts'
import { currentCoverage, openVerdicts, playMutant, type Verdict } from './sweep.ts'

const HELP = `npm run mutants [-- OPTIONS]

Spoils shared/lifecycle, functions/monitor and shared/auth in one place at a time and looks whether a unit test
that runs that place fails. Goes on where it was ended; writes test/mutation/scores.json and survivors.json.

  --file TEXT        only sources whose path contains TEXT
  --sample N         only N, chosen by the seed; writes nothing
  --seed TEXT        default 1
  --promises [TEXT]  instead: the named safety lines of test/mutation/promises.ts whose promise contains TEXT
  --known            plays nothing: writes down what an unfinished sweep knows; what survived the
                     tests of an earlier day is counted as a survivor
  --slow             asks the simulation too about what no unit test catches: ten seconds a mutant
  --again            forget what is known from earlier runs
  --help
`
/** Of a sample, so much may survive without a reason in survivors.json. */
const UNEXPLAINED_SHARE = 0.4

const { values, positionals } = readOptions()
if (values.help) console.log(HELP)
else if (values.promises) process.exitCode = await playPromises(positionals.join(' '))
else process.exitCode = await sweep()

function readOptions() {
  try {
    return parseArgs({
      options: {
        file: { type: 'string', default: '' },
        sample: { type: 'string' },
        seed: { type: 'string', default: '1' },
        promises: { type: 'boolean' },
        known: { type: 'boolean' },
        slow: { type: 'boolean' },
        again: { type: 'boolean' },
        help: { type: 'boolean' },
      },
      allowPositionals: true,
    })
  } catch (error) {
    console.error(`${(error as Error).message}; --help tells more`)
    process.exit(2)
  }
}

async function sweep(): Promise<number> {
  const sources = [...sweptSources()].filter(([file]) => file.includes(values.file))
  const mutants = sources.flatMap(([, source]) => source.mutants)
  const chosen = values.sample === undefined ? mutants : sampled(mutants, sampleSize(values.sample))
  if (chosen.length === 0) {
    console.error(`no source that is swept has "${values.file}" in its path`)
    return 2
  }
  console.log(`${chosen.length} of ${mutants.length} mutants in ${sources.length} files`)
  if (values.known) return concludeSweep(chosen, knownVerdicts(chosen))
  const verdicts = await played(
    chosen,
    Map.groupBy(mutants, ({ file }) => file),
  )
  return values.sample === undefined ? concludeSweep(chosen, verdicts) : concludeSample(verdicts)
}

function sampleSize(text: string): number {
  const size = Number(text)
  if (Number.isSafeInteger(size) && size > 0) return size
  console.error(`--sample "${text}" is not a number of mutants`)
  process.exit(2)
}

function sampled(mutants: readonly Mutant[], size: number): readonly Mutant[] {
  const place = ({ id }: Mutant) =>
    createHash('sha256').update(`${values.seed}\n${id}`).digest('hex')
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
  chosen: readonly Mutant[],
  byFile: ReadonlyMap<string, readonly Mutant[]>,
): Promise<Verdicts> {
  const coverage = await currentCoverage()
  const known = openVerdicts(coverage.key)
  const isNew = values.again || values.sample !== undefined
  const players = openPlayers()
  const verdicts = new Map<Mutant, Verdict>()
  const startedAtMs = performance.now()
  try {
    for (const mutant of chosen) {
      const verdict =
        (isNew ? undefined : known.get(mutant)) ??
        (await playMutant(players, coverage, mutant, {
          neighbours: byFile.get(mutant.file)!,
          isSlowAsked: values.slow ?? false,
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

function concludeSample(verdicts: Verdicts): number {
  const reasons = new Map(readSurvivors().map(({ id, reason }) => [id, reason]))
  const survived = [...verdicts].filter(([, { kind }]) => kind !== 'caught')
  const unexplained = survived.filter(([{ id }]) => !reasons.get(id))
  const caught = verdicts.size - survived.length
  const share = ((100 * caught) / verdicts.size).toFixed(0)
  console.log(
    `${caught} of ${verdicts.size} mutants caught (${share} %), seed ${values.seed}; ` +
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
