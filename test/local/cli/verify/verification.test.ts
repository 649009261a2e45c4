import { expect, it } from 'vitest'
import type { CommandContext } from '../../../../local/cli/command.ts'
import { verifyInstall } from '../../../../local/cli/verify/verification.ts'
import { UsageError } from '../../../../shared/flags/flag-set.ts'

const context: CommandContext = {
  env: {},
  nowMs: () => 0,
  randomInt: () => 0,
  newId: () => 'id',
  print: () => {},
  tell: () => {},
  program: { command: 'node', args: [] },
  open: () => {
    throw new Error('it was opened')
  },
  interrupted: () => new AbortController().signal,
}

it('asks for the bus of an install in AWS before it opens anything', async () => {
  const asked = verifyInstall({ server: 'https://api.example.org' }, context)
  await expect(asked).rejects.toThrow(UsageError)
  await expect(asked).rejects.toThrow('--event-bus NAME')
  const named = { server: 'https://api.example.org', 'event-bus': 'leasehold-prod' }
  await expect(verifyInstall(named, context)).rejects.toThrow('it was opened')
})
