/**
 * `npm run mutants [-- WORDS]`: spoils one safety line after another in a copy of the repository
 * and runs the part of the suite that must notice. Prints a table; a line that nobody misses is a
 * non-zero exit.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Mutant, mutants } from './mutants.ts'

const ROOMS = ['functions', 'shared', 'agent', 'local', 'test', 'docs', 'dashboard', 'infra']
const FILES = ['package.json', 'tsconfig.json', 'vitest.config.ts']
const TIMEOUT_MS = 300_000

function copyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-mutants-'))
  for (const name of [...ROOMS, ...FILES]) cpSync(name, join(folder, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

type Verdict = 'caught' | 'MISSED' | 'NOT FOUND'

function judge(folder: string, mutant: Mutant): Verdict {
  const { file, line, spoiled } = mutant
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(line).length !== 2) return 'NOT FOUND'
  writeFileSync(
    path,
    text.replace(line, () => spoiled),
  )
  const isGreen = runs(folder, mutant)
  writeFileSync(path, text)
  return isGreen ? 'MISSED' : 'caught'
}

function runs(folder: string, { caughtBy, named }: Mutant): boolean {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const args = [vitest, 'run', '--bail', '1', caughtBy, ...(named ? ['-t', named] : [])]
  const options = { cwd: folder, timeout: TIMEOUT_MS, stdio: 'ignore' } as const
  return spawnSync(process.execPath, args, options).status === 0
}

const words = process.argv.slice(2).join(' ')
const chosen = mutants.filter(({ promise }) => promise.includes(words))
const folder = copyRepository()
let missed = 0
try {
  // What fails without a mutant proves nothing about one.
  for (const one of new Map(chosen.map((mutant) => [mutant.caughtBy, mutant])).values())
    if (!runs(folder, one)) throw new Error(`${one.caughtBy} fails with nothing spoiled`)
  for (const mutant of chosen) {
    const startedAtMs = performance.now()
    const verdict = judge(folder, mutant)
    if (verdict !== 'caught') missed += 1
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0)
    console.log(
      `${verdict.padEnd(9)} ${seconds.padStart(4)} s  ${mutant.promise}  (${mutant.caughtBy})`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${chosen.length - missed} of ${chosen.length} spoiled lines were caught`)
if (missed > 0) process.exitCode = 1
