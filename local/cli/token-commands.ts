/** `leasehold token create` and `leasehold token revoke`. */
import { defaultIssued, lifetimeSeconds } from '../../shared/auth/claims.ts'
import { readRevocations, revoke } from '../../shared/auth/revocations.ts'
import { type SignedToken, signToken } from '../../shared/auth/signer.ts'
import { groupNames, nodeUser } from '../../shared/auth/subject.ts'
import { formatTime, parseTimeMs } from '../../shared/kube/time.ts'
import type { Store } from '../../shared/store/ports.ts'
import {
  type Command,
  type Install,
  text,
  texts,
  UsageError,
  type Values,
  type World,
} from './command.ts'
import { parseDurationMs } from './duration.ts'
import { installHelp, installOptions, readSettings } from './settings.ts'

const ATTEMPTS = 5

export const tokenCreate: Command = {
  words: ['token', 'create'],
  summary: 'sign a token for a person, a program or a node',
  help: `  --user NAME           a person or a program; give it groups with
  --group GROUP         may be repeated: system:masters, leasehold:operators, leasehold:viewers,
                        leasehold:lease-users:<namespace>
  --node NAME           instead of --user: a Node that exists already
  --ttl 12h             how long it lives: at most 12h (users) or 7d (nodes), the defaults

${installHelp}

The token goes to standard output:
  kubectl --token "$(npx leasehold token create --user ann --group leasehold:viewers)" get nodes`,
  options: {
    ...installOptions,
    user: { type: 'string' },
    group: { type: 'string', multiple: true },
    node: { type: 'string' },
    ttl: { type: 'string' },
  },
  async run(values, world) {
    const install = world.open(readSettings(values, world.env))
    const made = text(values.node)
      ? await nodeTokenFor(install, world, values)
      : await userToken(install, world, values)
    world.tell(`valid until ${formatTime(made.expiresAtMs)}`)
    world.print(made.token)
  },
}

export async function userToken(
  install: Install,
  world: World,
  values: Values,
): Promise<SignedToken> {
  const user = text(values.user)
  if (!user) throw new UsageError('say for whom: --user NAME or --node NAME')
  return signToken(await install.signer('admin'), {
    ...defaultIssued,
    user,
    groups: texts(values.group),
    lifetimeSeconds: ttlSeconds(values, lifetimeSeconds.user),
    tokenId: world.newId(),
    nowMs: world.nowMs(),
  })
}

async function nodeTokenFor(install: Install, world: World, values: Values): Promise<SignedToken> {
  const name = text(values.node) ?? ''
  if (values.user || values.group) throw new UsageError('a node has no --user and no --group')
  const node = await (await install.store()).objects.get('nodes', { namespace: '', name })
  if (!node) {
    throw new UsageError(
      `there is no Node "${name}" to bind a token to; a new host joins with a bootstrap token: ` +
        'npx leasehold token bootstrap create',
    )
  }
  return signToken(await install.signer('node'), {
    ...defaultIssued,
    user: nodeUser(name),
    groups: [groupNames.nodes],
    nodeUid: node.uid,
    lifetimeSeconds: ttlSeconds(values, lifetimeSeconds.node),
    tokenId: world.newId(),
    nowMs: world.nowMs(),
  })
}

function ttlSeconds(values: Values, longest: number): number {
  const asked = text(values.ttl)
  if (asked === undefined) return longest
  const seconds = parseDurationMs(asked) / 1000
  if (seconds <= longest) return seconds
  throw new UsageError(`--ttl ${asked} is too long: at most ${longest / 3600}h`)
}

export const tokenRevoke: Command = {
  words: ['token', 'revoke'],
  summary: 'make the tokens of somebody void',
  help: `  --user NAME           whose tokens; or
  --node NAME           the tokens of a node
  --before TIME         only those issued before (2026-01-31T12:00:00Z); default: all until now

${installHelp}

Every process of the api knows within 30 seconds. A node that is cut off joins again with a
bootstrap token; to cut it off for good, delete its Node.`,
  options: {
    ...installOptions,
    user: { type: 'string' },
    node: { type: 'string' },
    before: { type: 'string' },
  },
  async run(values, world) {
    const { user, node } = { user: text(values.user), node: text(values.node) }
    if (Boolean(user) === Boolean(node))
      throw new UsageError('say whose: --user NAME or --node NAME')
    const subject = user ?? nodeUser(node ?? '')
    const issuedBeforeSeconds = beforeSeconds(values, world)
    const store = await world.open(readSettings(values, world.env)).store()
    await writeRevocation(store, { subject, issuedBeforeSeconds }, world.nowMs())
    const when = formatTime(issuedBeforeSeconds * 1000)
    world.tell(`tokens of ${subject} issued before ${when} are void in at most 30 seconds`)
  },
}

function beforeSeconds(values: Values, world: World): number {
  const written = text(values.before)
  // A token signed in this very second counts as before.
  if (written === undefined) return Math.floor(world.nowMs() / 1000) + 1
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
  throw new UsageError('somebody else is revoking at this moment; run the command again')
}
