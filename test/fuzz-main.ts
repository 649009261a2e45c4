/**
 * `npm run fuzz [-- SEED]`: the suites that draw what they test (fast-check), a few simulated worlds
 * and hostile requests to the api, with a seed that moves: CI gives the commit's, without one it is
 * drawn. `npm test` keeps its own, fixed seed.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { UsageError } from '../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../shared/flags/program.ts'

const WORLDS = ['--seeds', '4', '--hours', '1', '--nodes', '50', '--zones', '3']
const REQUESTS = '100000'
const draws = /from '(fast-check|.*\/loose-object\.ts)'/

const program: Program = {
  call: 'npm run fuzz --',
  summary:
    'The suites that draw what they test, and a few simulated worlds, with a seed that moves.',
  operands: { shown: '[SEED]', least: 0, most: 1 },
  notes: 'SEED is a whole number below 2^31; without one it is drawn.',
  run: (_values, [seed]) => fuzz(seed === undefined ? drawnSeed() : seedOf(seed)),
}

const drawnSeed = () => Math.floor(Math.random() * 2 ** 31)

function seedOf(text: string): number {
  if (/^\d+$/.test(text) && Number(text) < 2 ** 31) return Number(text)
  throw new UsageError(`the seed must be a whole number below 2^31, not ${text}`)
}

function fuzz(seed: number): number {
  const suites = globSync('test/**/*.test.ts').filter((file) =>
    draws.test(readFileSync(file, 'utf8')),
  )
  const what = `${suites.length} suites, 4 worlds and ${REQUESTS} requests`
  console.log(`seed ${seed}, ${what}; again: npm run fuzz -- ${seed}`)
  const trials = [
    ['node_modules/vitest/vitest.mjs', 'run', ...suites],
    ['test/simulation/main.ts', '--seed', String(seed), ...WORLDS],
    ['test/attacks/fuzz/main.ts', '--seed', String(seed), '--requests', REQUESTS],
  ]
  const env = { ...process.env, FUZZ_SEED: String(seed) }
  const codes = trials.map(
    (args) => spawnSync(process.execPath, args, { stdio: 'inherit', env }).status,
  )
  return codes.every((code) => code === 0) ? 0 : 1
}

process.exitCode = await runProgram(program, process.argv.slice(2), terminalOf(process.env))
