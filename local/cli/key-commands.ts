/** `leasehold keys rotate`. */
import type { KeyRole } from '../../shared/auth/claims.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { rotateKey } from '../keys.ts'
import { type Command, text, UsageError } from './command.ts'
import { installHelp, installOptions, readSettings } from './settings.ts'

export const keysRotate: Command = {
  words: ['keys', 'rotate'],
  summary: 'sign with a new key from now on',
  help: `  --role node|admin     which key (default: both)
  --force               believe no older key: every token of the role is void in a minute

${installHelp}

The key before stays believed until the next rotation, so nobody notices. Nodes renew their tokens
by themselves; after --force they join again with a bootstrap token.`,
  options: { ...installOptions, role: { type: 'string' }, force: { type: 'boolean' } },
  async run(values, world) {
    const { data } = world.open(readSettings(values, world.env))
    if (!data) {
      throw new UsageError(
        'in AWS the keys live in KMS: deploy with -c nodeKeyGeneration=2 or ' +
          '-c adminKeyGeneration=2 (docs/security.md, "Rotating keys")',
      )
    }
    for (const role of rolesOf(text(values.role))) {
      const force = values.force === true
      const rotated = rotateKey(data, role, { nowMs: world.nowMs(), force })
      if (rotated !== 'rotated') throw tooSoon(role, rotated.tooSoonUntilMs)
      world.tell(`the ${role} key is new`)
    }
  },
}

function rolesOf(written: string | undefined): readonly KeyRole[] {
  if (written === undefined) return ['node', 'admin']
  if (written === 'node' || written === 'admin') return [written]
  throw new UsageError(`--role ${written} does not exist: write node or admin`)
}

const tooSoon = (role: KeyRole, untilMs: number) =>
  new UsageError(
    `the ${role} key was rotated a short while ago and tokens of the one before may live until ` +
      `${formatTime(untilMs)}; wait, or cut them all off with --force`,
  )
