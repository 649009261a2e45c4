/**
 * Every program, called wrongly: one sentence on standard error, exit code 2, no stack. And every
 * one explains itself and knows its version.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../shared/flags/version.ts'

/** Many processes at once on a small machine: each loads what the program loads. */
const START_MS = 120_000

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

async function run(file: string, args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, LEASEHOLD_VERBOSE: '0' }
  const flags = ['--disable-warning=ExperimentalWarning', file, ...args]
  const child = spawn(process.execPath, flags, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], out, error] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, error }
}

/** What each is called with, wrongly, besides an option that no program knows. */
const programs: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'local/cli/main.ts': [
    ['token', 'bootstrap', 'revoke'],
    ['token', 'create', '--bogus'],
  ],
  'local/main.ts': [
    ['--nodes', 'many'],
    ['--listen', 'here'],
    ['--node-monitor-period', 'often'],
    ['more'],
  ],
  'local/hosts/main.ts': [[], ['stop'], ['explode', 'all']],
  'infra/cost/main.ts': [
    ['--nodes', 'many'],
    ['--beat', '10'],
  ],
  'infra/synth.ts': [
    ['-c', 'bogus=1'],
    ['-c', 'stage'],
    ['-c', 'ingress=none'],
  ],
  'bench/main.ts': [['bogus']],
  'bench/blackout.ts': [['--nodes', '3']],
  'bench/idle-agent.ts': [['--seconds', 'x']],
  'agent/main.ts': [['--server', 'nowhere'], ['--zone']],
  'local/emulators/ministack.ts': [
    ['--port', 'x'],
    ['-c', 'bogus=1'],
  ],
  'local/emulators/localstack.ts': [['--api-port', 'x']],
  'local/emulators/sam.ts': [['--port', 'x']],
  'test/simulation/main.ts': [
    ['--hours', 'x'],
    ['--seeds', '0'],
  ],
  'test/simulation/model-check-main.ts': [['--zones', 'a']],
  'test/mutation/main.ts': [['--sample', 'x']],
  'test/fuzz-main.ts': [['x']],
  'test/linearizability/main.ts': [['--kills', '-1']],
  'test/walk/main.ts': [['more']],
  'test/tidy/features-main.ts': [['bogus']],
}

/** Passes on what it does not know to the program it runs, whose mistakes those are. */
const passesOn = new Set(['local/emulators/sam.ts'])

const mistakes = Object.entries(programs).flatMap(([file, lines]) =>
  [...(passesOn.has(file) ? [] : [['--bogus']]), ...lines].map((args) => ({ file, args })),
)

describe.concurrent('called wrongly', { timeout: START_MS }, () => {
  it.each(mistakes)('$file $args: one sentence and exit code 2', async ({ file, args }) => {
    const { code, out, error } = await run(file, args)
    expect(error.trim().split('\n'), error).toHaveLength(1)
    expect(error).not.toMatch(/^\s+at /m)
    expect({ code, out }).toEqual({ code: 2, out: '' })
  })
})

describe.concurrent('every program', { timeout: START_MS }, () => {
  it.each(Object.keys(programs))('%s explains itself and tells its version', async (file) => {
    const [help, version] = await Promise.all([run(file, ['--help']), run(file, ['--version'])])
    expect(help).toMatchObject({ code: 0, error: '' })
    expect(help.out).toContain('Usage: ')
    expect(version).toEqual({ code: 0, out: `${VERSION}\n`, error: '' })
  })
})

it('every program that package.json starts is in this table, but for those of lanes and builds', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const started = Object.entries<string>(scripts)
    .filter(([name]) => !/^(test|build)\b|^screenshots$/.test(name))
    .flatMap(([, line]) => /^(?:exec )?node .*?(\S+\.ts)$/.exec(line)?.[1] ?? [])
  expect(started.filter((file) => !(file in programs))).toEqual([])
})

it('the version is that of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(VERSION).toBe(`v${version}+leasehold`)
})

it('no text sends a reader who is elsewhere to the registry for a package that is not ours', () => {
  const files = globSync('{README.md,docs/**/*.md,{agent,functions,infra,local,shared}/**/*.ts}')
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('npx leasehold'))).toEqual([])
})
