/**
 * `npm run linearizability`: clients of local mode, kills and lost answers, and a judge of what the
 * clients were told. `--help` lists the options.
 */
import { randomInt } from 'node:crypto'
import { accessSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../../shared/flags/program.ts'
import { directChecks } from './direct-checks.ts'
import { formatHistory, parseHistory } from './history.ts'
import { buildJudge, type Judge } from './judge.ts'
import { type Mutant, mutants } from './mutants.ts'
import { flags, type Options, type RunOptions, readOptions, SKIPPED_CODE } from './options.ts'
import { type Run, run } from './run.ts'
import { isClean, isTelling, type Judged, summary, verdictLines } from './summary.ts'

type ReadyJudge = Extract<Judge, { readonly kind: 'ready' }>

const SECONDS_PER_KEY = 60
const MUTANT_SECONDS = 37

function withFiles(options: Options): Options {
  try {
    mkdirSync(options.out, { recursive: true })
    if (options.history !== undefined) accessSync(options.history)
    return options
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

type Kept = Pick<Run, 'entries' | 'historyFile'>

async function judgeRun(done: Kept, out: string, judge: ReadyJudge): Promise<Judged> {
  const verdicts = await judge.judge(done.historyFile, out, SECONDS_PER_KEY)
  const violations = directChecks(done.entries)
  const bad = new Set(violations.map(({ key }) => key))
  for (const { key, result } of verdicts) if (result !== 'Ok') bad.add(key)
  for (const key of bad) {
    const file = join(out, `violation-${key.replaceAll('/', '-')}.jsonl`)
    writeFileSync(file, formatHistory(done.entries.filter((entry) => entry.key === key)))
  }
  writeFileSync(join(out, 'violations.json'), JSON.stringify(violations, undefined, 1))
  return { verdicts, violations }
}

async function runOnce(options: RunOptions, judge: ReadyJudge): Promise<boolean> {
  const done = await run(options)
  const judged = await judgeRun(done, options.out, judge)
  const text = summary(options, done, judged)
  writeFileSync(join(options.out, 'summary.txt'), `${text}\n`)
  console.log(text)
  return isClean(judged) && isTelling(done)
}

async function judgeAgain({ out }: RunOptions, file: string, judge: ReadyJudge): Promise<boolean> {
  const entries = parseHistory(readFileSync(file, 'utf8'))
  const judged = await judgeRun({ entries, historyFile: file }, out, judge)
  console.log(verdictLines(judged).join('\n'))
  return isClean(judged)
}

/** Nothing but the mutant goes wrong here, and the first run, without one, must be clean. */
async function runMutants(options: RunOptions, judge: ReadyJudge): Promise<boolean> {
  let isProven = true
  for (const [at, mutant] of [undefined, ...mutants].entries()) {
    const out = join(options.out, mutant ? `mutant-${at}` : 'no-mutant')
    const done = await run({ ...options, seconds: MUTANT_SECONDS, kills: 0, lost: 0, out }, mutant)
    const judged = await judgeRun(done, out, judge)
    const verdict = mutantVerdict(judged, mutant)
    if (verdict === 'MISSED' || verdict === 'NOT CLEAN') isProven = false
    const illegal = judged.verdicts.filter(({ result }) => result === 'Illegal').length
    const checks = [...new Set(judged.violations.map(({ check }) => check))].join(', ')
    console.log(
      `${verdict}: ${mutant?.name ?? 'nothing planted'}; ${done.entries.length} operations, ` +
        `${illegal} keys not linearizable, direct checks: ${checks || 'none'} (${out})`,
    )
  }
  return isProven
}

/** Both the search and the plain look must find what was planted. */
function mutantVerdict(judged: Judged, mutant: Mutant | undefined) {
  if (!mutant) return isClean(judged) ? 'clean' : 'NOT CLEAN'
  const isIllegal = judged.verdicts.some(({ result }) => result === 'Illegal')
  const isSeen = judged.violations.some(({ check }) => check === mutant.foundBy)
  return isIllegal && isSeen ? 'caught' : 'MISSED'
}

async function main(options: Options): Promise<number> {
  const judge = await buildJudge()
  if (judge.kind === 'absent') {
    console.log(
      `linearizability: skipped (${SKIPPED_CODE}), the judge cannot be built: ${judge.why}`,
    )
    return SKIPPED_CODE
  }
  const { history, mutants: isPlanting } = options
  if (history !== undefined) return (await judgeAgain(options, history, judge)) ? 0 : 1
  return (await (isPlanting ? runMutants : runOnce)(options, judge)) ? 0 : 1
}

const program: Program = {
  call: 'npm run linearizability --',
  summary: 'Clients of local mode under faults, and a judge: did every answer tell the truth?',
  flags,
  notes: `Ends with 0: no violation; 1: one was found, or the judge ran out of time; ${SKIPPED_CODE}: no Go here.`,
  run: (values) => main(withFiles(readOptions(values, randomInt(2 ** 31)))),
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
