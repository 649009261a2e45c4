import { beforeEach, describe, expect, it } from 'vitest'
import type { Identity } from '../../../../shared/auth/identity.ts'
import { createBootstrapToken } from '../../../../shared/auth/join/bootstrap-tokens.ts'
import { issueToken } from '../../../../shared/auth/tokens/issuer.ts'
import type { IssuerDeps } from '../../../../shared/auth/tokens/node-token.ts'
import { readRevocations, revoke } from '../../../../shared/auth/tokens/revocations.ts'
import type { Node } from '../../../../shared/kube/objects.ts'
import { bearer, type Install, issued, newInstall, startMs } from '../install.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const proof = 'the secret of this machine'
let install: Install
let deps: IssuerDeps
let seed = 0

beforeEach(async () => {
  install = await newInstall()
  const { store, newId, signers } = install
  deps = { ...issued, store, newId, signer: async () => signers.node }
})

const newBootstrap = (uses?: number) =>
  createBootstrapToken(
    install.store,
    { groups: [], lifetimeMs: DAY, uses },
    { nowMs: startMs, randomInt: (below) => ++seed % below },
  )

async function whoIs(token: string): Promise<Identity> {
  const answer = await install.authenticator.authenticate(bearer(token), install.clock.nowMs)
  if (answer.kind !== 'known') throw new Error(`the token is ${answer.kind}`)
  return answer.identity
}

async function ask(token: string, nodeName: string, more: { proof?: string } = {}) {
  const identity = await whoIs(token)
  const nowMs = install.clock.nowMs
  return issueToken(deps, { identity, nodeName, lifetimeSeconds: 7 * 86_400, nowMs, ...more })
}

async function createNode(name: string, uid = `uid-${name}`, annotations = {}) {
  const object: Node = { metadata: { name, uid, annotations, creationTimestamp: null } }
  await install.store.commit([{ do: 'createObject', resource: 'nodes', object, fields: {} }])
}

async function deleteNode(name: string) {
  const believed = await install.store.objects.get('nodes', { namespace: '', name })
  await install.store.commit([{ do: 'deleteObject', believed: believed! }])
}

async function join(name: string, bootstrap: string, more: { proof?: string } = {}) {
  const joining = await ask(bootstrap, name, more)
  await createNode(name)
  return ask(joining.token, name)
}

describe('a new host', () => {
  it('gets a joining token, makes its Node, and gets a token bound to it', async () => {
    const bootstrap = await newBootstrap()
    const joining = await ask(bootstrap, 'a')
    expect(joining).toMatchObject({ kind: 'joining', nodeUid: undefined })
    expect(joining.expiresAtMs).toBe(startMs + 10 * MINUTE)

    await createNode('a')
    const node = await ask(joining.token, 'a')
    expect(node).toMatchObject({ kind: 'node', nodeUid: 'uid-a' })
    expect(await whoIs(node.token)).toMatchObject({ user: 'system:node:a', nodeUid: 'uid-a' })
  })

  it('asks too early and is told that the Node is missing', async () => {
    const joining = await ask(await newBootstrap(), 'a')
    await expect(ask(joining.token, 'a')).rejects.toThrow('nodes "a" not found')
  })

  it.each([
    { when: 'a node token', joinsFully: true },
    { when: 'a joining token', joinsFully: false },
  ])('does not outlive a revocation nobody has noticed yet, with $when', async (row) => {
    const bootstrap = await newBootstrap()
    const first = row.joinsFully ? await join('a', bootstrap) : await ask(bootstrap, 'a')
    if (!row.joinsFully) await createNode('a')
    install.clock.nowMs += 20_000
    // Known before the revocation is written, and for the next half minute.
    const identity = await whoIs(first.token)
    const nowMs = install.clock.nowMs
    const issuedBeforeSeconds = nowMs / 1000
    const revocation = { subject: 'system:node:a', issuedBeforeSeconds }
    const found = await readRevocations(install.store.records)
    await install.store.commit([revoke(found, revocation, nowMs)])

    const asked = { identity, nodeName: 'a', lifetimeSeconds: 86_400, nowMs: nowMs + 1_000 }
    await expect(issueToken(deps, asked)).rejects.toMatchObject({ code: 401 })
  })

  it('renews its token without a person', async () => {
    const first = await join('a', await newBootstrap())
    install.clock.nowMs += 5 * DAY
    const second = await ask(first.token, 'a')
    expect(second).toMatchObject({ kind: 'node', nodeUid: 'uid-a' })
    expect(second.expiresAtMs).toBe(startMs + 12 * DAY)
  })
})

describe('nobody gets a token for', () => {
  it('a name another machine is joining under', async () => {
    await ask(await newBootstrap(), 'a', { proof })
    const other = ask(await newBootstrap(), 'a', { proof: 'the secret of another' })
    await expect(other).rejects.toThrow('another machine is joining under this name')
  })

  it('a Node of another machine', async () => {
    await join('a', await newBootstrap(), { proof })
    install.clock.nowMs += 60 * MINUTE
    const other = ask(await newBootstrap(), 'a', { proof: 'the secret of another' })
    await expect(other).rejects.toThrow('a Node of this name exists')
  })

  it('another node with a token of its own', async () => {
    const node = await join('a', await newBootstrap())
    await createNode('b')
    await expect(ask(node.token, 'b')).rejects.toThrow('nodes "b" is forbidden')
  })

  it('a Node that was made anew, with the token of the one before', async () => {
    const node = await join('a', await newBootstrap())
    await deleteNode('a')
    await expect(ask(node.token, 'a')).rejects.toThrow('nodes "a" not found')
    await createNode('a', 'another uid')
    await expect(ask(node.token, 'a')).rejects.toThrow('issued for another Node of this name')
  })

  it('anything, with a joining token that was replaced', async () => {
    const bootstrap = await newBootstrap()
    const first = await ask(bootstrap, 'a', { proof })
    await ask(bootstrap, 'a', { proof })
    await createNode('a')
    await expect(ask(first.token, 'a')).rejects.toThrow('replaced by a newer one')
  })

  it('a Node that came after the one that was joined', async () => {
    const joining = await ask(await newBootstrap(), 'a')
    await createNode('a')
    await ask(joining.token, 'a')
    await deleteNode('a')
    await createNode('a', 'another uid')
    await expect(ask(joining.token, 'a')).rejects.toThrow('the Node that was joined is gone')
  })
})

describe('a host that lost its token', () => {
  it('comes back with its proof', async () => {
    await join('a', await newBootstrap(), { proof })
    install.clock.nowMs += 60 * MINUTE
    const back = await ask(await newBootstrap(), 'a', { proof })
    expect(back).toMatchObject({ kind: 'node', nodeUid: 'uid-a' })
  })

  it('comes back once when an operator says so, and the one before is cut off', async () => {
    const joining = await ask(await newBootstrap(), 'a', { proof })
    await createNode('a', 'uid-a', { 'leasehold.dev/rejoin-until': '2026-01-01T02:00:00Z' })
    const before = await ask(joining.token, 'a')
    install.clock.nowMs += 60 * MINUTE

    const back = await ask(await newBootstrap(), 'a')
    expect(back).toMatchObject({ kind: 'node', nodeUid: 'uid-a' })
    install.clock.nowMs += MINUTE
    await expect(whoIs(before.token)).rejects.toThrow('the token is refused')
    expect(await whoIs(back.token)).toMatchObject({ user: 'system:node:a' })
    await expect(ask(await newBootstrap(), 'a')).rejects.toThrow('a Node of this name exists')
  })
})

describe('a bootstrap token with a limit', () => {
  it('admits as many hosts as it says, however they race', async () => {
    const bootstrap = await newBootstrap(3)
    const names = Array.from({ length: 8 }, (_, at) => `host-${at}`)
    const asked = await Promise.allSettled(names.map((name) => ask(bootstrap, name)))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  it('does not count a machine twice because an answer was lost', async () => {
    const bootstrap = await newBootstrap(1)
    await ask(bootstrap, 'a', { proof })
    expect(await ask(bootstrap, 'a', { proof })).toMatchObject({ kind: 'joining' })
    await expect(ask(bootstrap, 'b', { proof })).rejects.toThrow('used as often as it may')
  })
})
