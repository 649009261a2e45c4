/**
 * `npm run fuzz [-- SEED]`: the suites that draw what they test (fast-check), a few simulated worlds
 * and hostile requests to the api, with a seed that moves: CI gives the commit's, without one it is
 * drawn. `npm test` keeps its own, fixed seed.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

const WORLDS = ['--seeds', '4', '--hours', '1', '--nodes', '50', '--zones', '3']
const REQUESTS = '100000'
const draws = /from '(fast-check|.*\/loose-object\.ts)'/

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31))
if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31) {
  console.error(`the seed must be a whole number below 2^31, not ${process.argv[2]}`)
  process.exit(2)
}
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
process.exit(codes.every((code) => code === 0) ? 0 : 1)
