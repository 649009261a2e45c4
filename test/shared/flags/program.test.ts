import { describe, expect, it } from 'vitest'
import { flag, stringFlag, UsageError } from '../../../shared/flags/flag-set.ts'
import { type Program, runProgram } from '../../../shared/flags/program.ts'
import { VERSION } from '../../../shared/flags/version.ts'

const program: Program = {
  call: 'npm run lift --',
  summary: 'Lifts things.',
  flags: { weight: flag('KG', 'how much', '10') },
  operands: { shown: 'THING', least: 1, most: 1 },
  notes: 'Bend your knees.',
  run({ weight }, [thing]) {
    if (thing === 'piano') throw new UsageError('not a piano')
    if (thing === 'anvil') throw new Error('too heavy')
    return stringFlag(weight) === '99' ? 7 : 0
  },
}

async function run(args: readonly string[], isVerbose = false) {
  const said = { out: [] as string[], error: [] as string[] }
  const print = (text: string) => void said.out.push(text)
  const tell = (text: string) => void said.error.push(text)
  return { code: await runProgram(program, args, { print, tell, isVerbose }), ...said }
}

describe('a program', () => {
  it.each([
    { when: 'it is done', args: ['box'], code: 0 },
    { when: 'it has a code of its own', args: ['box', '--weight', '99'], code: 7 },
    { when: 'it fails', args: ['anvil'], code: 1, says: 'too heavy' },
    {
      when: 'it finds a mistake',
      args: ['piano'],
      code: 2,
      says: 'not a piano; "npm run lift -- --help" says more',
    },
    {
      when: 'a flag is unknown',
      args: ['--wait'],
      code: 2,
      says: `Unknown option '--wait'; "npm run lift -- --help" says more`,
    },
    {
      when: 'a word is missing',
      args: [],
      code: 2,
      says: 'THING is missing; "npm run lift -- --help" says more',
    },
  ])('ends with $code when $when', async ({ args, code, says }) => {
    expect(await run(args)).toEqual({ code, out: [], error: says ? [says] : [] })
  })

  it('tells where it failed only when asked', async () => {
    expect((await run(['anvil'], true)).error[0]).toMatch(/too heavy\n\s+at /)
  })

  it('tells its version and explains itself', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: [VERSION], error: [] })
    expect((await run(['--help'])).out[0]).toBe(`Lifts things.

Usage: npm run lift -- THING [OPTIONS]

  --weight KG   how much (default 10)
  -h, --help    show this
  --version     show the version

Bend your knees.`)
  })
})
