/** What the sweep found, as it is kept in the repository: a score per file, and why some survive. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Mutant, oneLine } from './find-mutants.ts'
import { SWEPT } from './loading.ts'
import type { Verdict } from './sweep.ts'

const SCORES_FILE = 'test/mutation/scores.json'
const SURVIVORS_FILE = 'test/mutation/survivors.json'

export interface Score {
  readonly mutants: number
  readonly played: number
  readonly caught: number
}

export interface Survivor {
  readonly id: string
  readonly file: string
  readonly within: string
  readonly original: string
  /** Empty when the statement is dropped. */
  readonly mutated: string
  /** Why no test can or need catch it, or `OPEN` while a test is owed; empty until it was looked at. */
  readonly reason: string
}

export const OPEN = 'open: a test is owed'

const readJson = <T>(file: string, otherwise: T): T =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : otherwise

export const readScores = () => readJson<Readonly<Record<string, Score>>>(SCORES_FILE, {})
export const readSurvivors = () => readJson<readonly Survivor[]>(SURVIVORS_FILE, [])

/**
 * Replaces what is known of the files of these mutants, and keeps the reasons. A file counts as
 * played when all of it was: what is known of a part is mostly what was caught earlier.
 */
export function recordScores(
  mutants: readonly Mutant[],
  verdicts: ReadonlyMap<Mutant, Pick<Verdict, 'kind'>>,
) {
  const byFile = Map.groupBy(mutants, ({ file }) => file)
  const scores: Record<string, Score> = { ...readScores() }
  const reasons = new Map(readSurvivors().map(({ id, reason }) => [id, reason]))
  const survivors = readSurvivors().filter(({ file }) => !byFile.has(file) && existsSync(file))
  for (const file of Object.keys(scores)) if (!existsSync(file)) delete scores[file]
  for (const [file, its] of byFile) {
    const played = its.every((mutant) => verdicts.has(mutant)) ? its : []
    const left = played.filter((mutant) => verdicts.get(mutant)?.kind !== 'caught')
    const caught = played.length - left.length
    scores[file] = { mutants: its.length, played: played.length, caught }
    survivors.push(...left.map((mutant) => survivorOf(mutant, reasons.get(mutant.id) ?? '')))
  }
  survivors.sort((one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : 0))
  const sorted = Object.fromEntries(Object.entries(scores).sort())
  writeFileSync(SCORES_FILE, `${JSON.stringify(sorted, null, 2)}\n`)
  writeFileSync(SURVIVORS_FILE, `${JSON.stringify(survivors, null, 2)}\n`)
  const unexplained = survivors.filter(({ reason }) => reason === '').length
  return { lines: roomScores(sorted).map(scoreLine), unexplained }
}

function survivorOf({ id, file, within, original, mutated }: Mutant, reason: string): Survivor {
  return { id, file, within, original: oneLine(original), mutated: oneLine(mutated ?? ''), reason }
}

export interface RoomScore extends Score {
  readonly room: string
}

export function roomScores(scores: Readonly<Record<string, Score>>): readonly RoomScore[] {
  return SWEPT.map((room) => {
    const its = Object.entries(scores).flatMap(([file, score]) =>
      file.startsWith(`${room}/`) ? [score] : [],
    )
    const sum = (of: keyof Score) => its.reduce((total, score) => total + score[of], 0)
    return { room, mutants: sum('mutants'), played: sum('played'), caught: sum('caught') }
  })
}

const scoreLine = ({ room, mutants, played, caught }: RoomScore) =>
  `${room}: ${caught} of ${played} played are caught (${percent(caught, played)}), ${mutants} in all`

const percent = (part: number, whole: number) =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
