/** `leasehold keys rotate`. */
import type { KeyRole } from '../../shared/auth/tokens/claims.ts'
import { flag, stringFlag, UsageError } from '../../shared/flags/flag-set.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { rotateKey } from '../keys.ts'
import type { Command } from './command.ts'
import { locateInstall } from './install-location.ts'

export const keysRotate: Command = {
  words: ['keys', 'rotate'],
  summary: 'sign with a new key from now on',
  flags: {
    role: flag('node|admin', 'which key', 'both'),
    force: { usage: 'believe no older key: every token of the role is void in a minute' },
  },
  notes: `Tokens of the key before stay valid until the next rotation. Nodes renew their tokens by
themselves; after --force they join again with a bootstrap token.`,
  async run(values, context) {
    const { data } = context.open(locateInstall(values, context.env))
    if (!data) {
      throw new UsageError(
        'in AWS the keys live in KMS: deploy with -c nodeKeyGeneration=2 or ' +
          '-c adminKeyGeneration=2 (docs/security.md, "Rotating keys")',
      )
    }
    for (const role of rolesOf(stringFlag(values.role))) {
      const force = values.force === true
      const rotated = rotateKey(data, role, { nowMs: context.nowMs(), force })
      if (rotated !== 'rotated') throw tooSoon(role, rotated.tooSoonUntilMs)
      context.tell(`the ${role} key is new`)
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
