/** Plays `.ci/run` with small lanes of its own: what is repeated, what is counted, what is cut off. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-ci-'))
afterAll(() => rmSync(folder, { recursive: true }))

function run(lanes: readonly string[], ...args: string[]) {
  const file = join(folder, 'lanes')
  writeFileSync(file, lanes.map((line) => `${line}\n`).join(''))
  const env = { ...process.env, CI_LANES: file, FOLDER: folder }
  const { stdout, stderr, status } = spawnSync('.ci/run', args, { env, encoding: 'utf8' })
  return { stdout, stderr, status, last: stdout.trimEnd().split('\n').at(-1) }
}

/** A command that leaves a line each time it is started. */
const started = (name: string) => `echo x >>"$FOLDER/${name}"`
const timesStarted = (name: string) => readFileSync(join(folder, name), 'utf8').length / 2
const tests = (passed: number, failed: number) =>
  `echo '{"numPassedTests":${passed},"numFailedTests":${failed}}' >"$results/tests.json"`

describe('the last line', () => {
  it.each([
    { when: 'all pass', lanes: ['a 1m - true', 'b 1m - true'], last: '2 passed, 0 failed' },
    { when: 'a lane fails', lanes: ['a 1m - true', 'b 1m - false'], last: '1 passed, 1 failed' },
    {
      when: 'tests are counted one by one',
      lanes: [`test 1m - ${tests(40, 0)}`, 'a 1m - true'],
      last: '41 passed, 0 failed',
    },
    {
      when: 'tests fail',
      lanes: [`test 1m - ${tests(40, 2)}; false`],
      last: '40 passed, 2 failed',
    },
    {
      when: 'the suite fails without a failed test',
      lanes: [`test 1m - ${tests(40, 0)}; false`],
      last: '40 passed, 1 failed',
    },
    {
      when: 'the suite leaves no count',
      lanes: ['test 1m - false', 'a 1m - true'],
      last: '1 passed, 1 failed',
    },
    {
      when: 'the packages cannot be installed',
      lanes: ['install 1m - false', 'a 1m - true'],
      last: '0 passed, 1 failed',
    },
  ])('$when: $last', ({ lanes, last }) => {
    const ran = run(lanes)
    expect(ran.last).toBe(last)
    expect(ran.status).toBe(last.includes(' 0 failed') ? 0 : 1)
  })
})

it('sets a lane up once more, and repeats no failure', () => {
  const second = `[ $(wc -l <"$FOLDER/late") = 2 ] || exit 75`
  const lanes = [`late 1m - ${started('late')}; ${second}`, `red 1m - ${started('red')}; exit 1`]
  expect(run(lanes).last).toBe('1 passed, 1 failed')
  expect([timesStarted('late'), timesStarted('red')]).toEqual([2, 1])
})

it('counts what cannot be set up as skipped, and as a failure where everything can be had', () => {
  const isAptMachine = spawnSync('sh', ['-c', 'command -v apt-get']).status === 0
  const isStrict = process.platform === 'linux' && process.arch === 'x64' && isAptMachine
  const { last, status } = run(['a 1m - true', 'b 1m - exit 75'])
  expect(last).toBe(`1 passed, ${isStrict ? 1 : 0} failed, 1 skipped`)
  expect(status).toBe(isStrict ? 1 : 0)
})

it('ends a lane, and what it started, at its limit', () => {
  const { stdout, last } = run(['slow 1s - sleep 60 & wait', 'a 1m - true'])
  expect(stdout).toContain('slow: FAILED, not done in 1s')
  expect(last).toBe('1 passed, 1 failed')
})

describe('the choice of lanes', () => {
  const lanes = [
    'a 1m - true',
    'b 1m 0 true',
    'c 1m 1 true',
    'd 1m 2 true',
    'e 1m - npm run no-such',
  ]
  const ranLanes = (...args: string[]) =>
    [...run(lanes, ...args).stdout.matchAll(/^== (\w+): passed/gm)].map(([, name]) => name)

  it('runs what is for every commit, and one turn', () => {
    const [first, ...turns] = ranLanes()
    expect(first).toBe('a')
    expect(turns).toHaveLength(1)
  })

  it('runs everything when asked, or what is named', () => {
    expect(ranLanes('--all')).toEqual(['a', 'b', 'c', 'd'])
    expect(ranLanes('d', 'b')).toEqual(['b', 'd'])
  })

  it('refuses a lane that does not exist, before anything runs', () => {
    const { status, stderr, stdout } = run(lanes, 'a', 'e')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toBe('no lane e; .ci/run --list prints them\n')
  })
})
