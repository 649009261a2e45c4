/** `leasehold token create` and `leasehold token revoke`. */

import { groupNames, nodeUser } from '../../shared/auth/subject.ts'
import { defaultIssuerAudience, lifetimeSeconds } from '../../shared/auth/tokens/claims.ts'
import { readRevocations, revoke } from '../../shared/auth/tokens/revocations.ts'
import { type SignedToken, signToken } from '../../shared/auth/tokens/signer.ts'
import {
  type FlagValues,
  flag,
  repeatable,
  stringFlag,
  stringFlags,
  UsageError,
} from '../../shared/flags/flag-set.ts'
import { formatTime, parseTimeMs } from '../../shared/kube/time.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { Command, CommandContext, Install } from './command.ts'
import { parseTtlMs } from './duration.ts'
import { locateInstall } from './install-location.ts'

const ATTEMPTS = 5

export const tokenCreate: Command = {
  words: ['token', 'create'],
  summary: 'sign a token for a person, a program or a node',
  flags: {
    user: flag('NAME', 'a person or a program; give it groups with'),
    group: repeatable(
      flag(
        'GROUP',
        'may be repeated: system:masters, leasehold:operators, leasehold:viewers,\n' +
          'leasehold:lease-users:<namespace>',
      ),
    ),
    node: flag('NAME', 'instead of --user: a Node that exists already'),
    ttl: flag('TIME', 'how long it lives, at most the default', '12h for users, 7d for nodes'),
  },
  notes: `The token goes to standard output:
  token=$(npx --no-install leasehold token create --user ann --group leasehold:viewers)
  kubectl --token "$token" get nodes`,
  async run(values, context) {
    const install = context.open(locateInstall(values, context.env))
    const made = stringFlag(values.node)
      ? await nodeTokenFor(install, context, values)
      : await userToken(install, context, values)
    context.tell(`valid until ${formatTime(made.expiresAtMs)}`)
    context.print(made.token)
  },
}

export async function userToken(
  install: Install,
  context: CommandContext,
  values: FlagValues,
): Promise<SignedToken> {
  const user = stringFlag(values.user)
  if (!user) throw new UsageError('say for whom: --user NAME or --node NAME')
  return signToken(await install.signer('admin'), {
    ...defaultIssuerAudience,
    user,
    groups: stringFlags(values.group),
    lifetimeSeconds: ttlSeconds(values, lifetimeSeconds.user),
    tokenId: context.newId(),
    nowMs: context.nowMs(),
  })
}

async function nodeTokenFor(
  install: Install,
  context: CommandContext,
  values: FlagValues,
): Promise<SignedToken> {
  const name = stringFlag(values.node) ?? ''
  if (values.user || values.group) throw new UsageError('a node has no --user and no --group')
  const node = await (await install.store()).objects.get('nodes', { namespace: '', name })
  if (!node) {
    throw new UsageError(
      `there is no Node "${name}" to bind a token to; a new host joins with a bootstrap token: ` +
        'npx --no-install leasehold token bootstrap create',
    )
  }
  return signToken(await install.signer('node'), {
    ...defaultIssuerAudience,
    user: nodeUser(name),
    groups: [groupNames.nodes],
    nodeUid: node.uid,
    lifetimeSeconds: ttlSeconds(values, lifetimeSeconds.node),
    tokenId: context.newId(),
    nowMs: context.nowMs(),
  })
}

function ttlSeconds(values: FlagValues, longest: number): number {
  const asked = stringFlag(values.ttl)
  if (asked === undefined) return longest
  const seconds = parseTtlMs(asked) / 1000
  if (seconds <= longest) return seconds
  throw new UsageError(`--ttl ${asked} is too long: at most ${longest / 3600}h`)
}

export const tokenRevoke: Command = {
  words: ['token', 'revoke'],
  summary: 'make the tokens of a user or a node void',
  flags: {
    user: flag('NAME', 'whose tokens; or'),
    node: flag('NAME', 'the tokens of a node'),
    before: flag('TIME', 'only those issued before (2026-01-31T12:00:00Z)', 'all until now'),
  },
  notes: `Every process of the api knows within 30 seconds. A node that is cut off joins again with a
bootstrap token; to cut it off for good, delete its Node.`,
  async run(values, context) {
    const { user, node } = { user: stringFlag(values.user), node: stringFlag(values.node) }
    if (Boolean(user) === Boolean(node))
      throw new UsageError('say whose: --user NAME or --node NAME')
    const subject = user ?? nodeUser(node ?? '')
    const issuedBeforeSeconds = beforeSeconds(values, context)
    const store = await context.open(locateInstall(values, context.env)).store()
    await writeRevocation(store, { subject, issuedBeforeSeconds }, context.nowMs())
    const when = formatTime(issuedBeforeSeconds * 1000)
    context.tell(`tokens of ${subject} issued before ${when} are void in at most 30 seconds`)
  },
}

function beforeSeconds(values: FlagValues, context: CommandContext): number {
  const written = stringFlag(values.before)
  // A token signed in this very second counts as before.
  if (written === undefined) return Math.floor(context.nowMs() / 1000) + 1
  const ms = parseTimeMs(written)
  if (ms === undefined) throw new UsageError(`"${written}" is no time: write 2026-01-31T12:00:00Z`)
  return Math.floor(ms / 1000)
}

type Revocation = Parameters<typeof revoke>[1]

async function writeRevocation(store: Store, revocation: Revocation, nowMs: number): Promise<void> {
  for (let tries = 0; tries < ATTEMPTS; tries++) {
    const found = await readRevocations(store.records)
    const commit = await store.commit([revoke(found, revocation, nowMs)])
    if (commit.kind === 'committed') return
  }
  throw new UsageError('another command is revoking at this moment; run this one again')
}
