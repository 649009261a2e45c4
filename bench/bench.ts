/** What every bench gives back, and the little arithmetic they share. */

export interface Ratio {
  readonly name: string
  readonly ratio: number
  readonly budget: number
}

/** Prints its own table and returns the ratios that are held against a budget. */
export type Bench = () => Promise<readonly Ratio[]>

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]]
  return (low + high) / 2
}

const RUNS_WHEN_OVER = 3

export const isOver = ({ ratio, budget }: Ratio) => !(ratio <= budget)

/** A bench with a line over its budget is run twice more, and the median of the three counts. */
export async function judged(
  bench: Bench,
  onOver: (lines: readonly Ratio[]) => void,
): Promise<readonly Ratio[]> {
  const runs = [await bench()]
  if (!runs[0]!.some(isOver)) return runs[0]!
  while (runs.length < RUNS_WHEN_OVER) {
    onOver(runs.at(-1)!.filter(isOver))
    runs.push(await bench())
  }
  return medianOfRuns(runs)
}

/** Line by line, by name. */
function medianOfRuns(runs: readonly (readonly Ratio[])[]): readonly Ratio[] {
  const [first = []] = runs
  return first.map((line) => {
    const same = runs.flatMap((lines) => lines.filter(({ name }) => name === line.name))
    return { ...line, ratio: median(same.map(({ ratio }) => ratio)) }
  })
}

/** The smallest value that a share of them does not exceed: 0.99 of a hundred is the 99th. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const names = Object.keys(rows[0] ?? {})
  const width = (name: string) =>
    Math.max(name.length, ...rows.map((row) => String(row[name]).length))
  const line = (cell: (name: string) => string) =>
    console.log(names.map((name, at) => pad(cell(name), width(name), at)).join('  '))
  line((name) => name)
  for (const row of rows) line((name) => String(row[name]))
}

/** The first column is words and stands left, the others are figures and stand right. */
const pad = (text: string, width: number, column: number) =>
  column === 0 ? text.padEnd(width) : text.padStart(width)
