import { describe, expect, it } from 'vitest'
import {
  type FlagSet,
  flagUsages,
  HELP_FLAG,
  parseFlags,
  stringFlag,
  stringFlags,
  UsageError,
} from '../../../shared/flags/flag-set.ts'

const flags: FlagSet = {
  zone: { value: 'ZONE', usage: 'where the host is', default: 'none' },
  group: { value: 'GROUP', usage: 'may be repeated:\na, b', isRepeatable: true },
  fence: { usage: 'stop pods when cut off' },
  help: HELP_FLAG,
}
const ONE = { shown: 'ID', least: 1, most: 1 }

describe('parseFlags', () => {
  it('reads texts, repeated texts, switches and operands', () => {
    const args = ['--zone', 'a', '--group', 'x', '--group=y', '--fence', 'id']
    const { values, operands } = parseFlags(flags, args, ONE)
    expect(stringFlag(values.zone)).toBe('a')
    expect(stringFlags(values.group)).toEqual(['x', 'y'])
    expect(values.fence).toBe(true)
    expect(operands).toEqual(['id'])
  })

  it.each([
    { when: 'a flag is unknown', args: ['--zon'], says: /^Unknown option '--zon'$/ },
    { when: 'a value is missing', args: ['--zone', '--fence'], says: /^Option '--zone' .*$/ },
    { when: 'a word is left over', args: ['id', 'more'], says: /^what is "more"\?$/ },
    { when: 'an operand is missing', args: [], says: /^ID is missing$/ },
  ])('says in one sentence what is wrong when $when', ({ args, says }) => {
    expect(() => parseFlags(flags, args, ONE)).toThrow(UsageError)
    expect(() => parseFlags(flags, args, ONE)).toThrow(says)
  })

  it('misses no operand when help is asked for', () => {
    expect(parseFlags(flags, ['-h'], ONE).values.help).toBe(true)
  })
})

it('the usages are aligned and name the defaults', () => {
  expect(flagUsages(flags).split('\n')).toEqual([
    '  --zone ZONE     where the host is (default none)',
    '  --group GROUP   may be repeated:',
    '                  a, b',
    '  --fence         stop pods when cut off',
    '  -h, --help      show this',
  ])
})
