import { beforeEach, describe, expect, it } from 'vitest'
import { isGrantable } from '../../../../shared/auth/programs/grant.ts'
import {
  createGrant,
  listGrants,
  renewProgramToken,
  revokeGrant,
} from '../../../../shared/auth/programs/grants.ts'
import { bearer, type Install, newInstall, tokenFor } from '../install.ts'

const HOUR_MS = 3_600_000
let install: Install
let drawn = 0
beforeEach(async () => {
  install = await newInstall()
})

const draw = () => ({ nowMs: install.clock.nowMs, randomInt: (below: number) => ++drawn % below })

async function grant(name = 'prometheus', groups = ['leasehold:viewers']) {
  const { store, clock } = install
  const lasts = { endsAtMs: clock.nowMs + 30 * HOUR_MS, tokenLifetimeMs: 24 * HOUR_MS }
  const issued = await createGrant(store, { name, groups, ...lasts }, draw())
  if (issued === 'taken') throw new Error('the name is taken')
  return issued.token
}

async function whoIs(token: string) {
  const { authenticator, clock } = install
  const caller = await authenticator.authenticate(bearer(token), clock.nowMs)
  return caller.kind === 'known' ? caller.identity : undefined
}

async function renew(token: string, name = 'prometheus') {
  const identity = await whoIs(token)
  return (await renewProgramToken(install.store, identity!, name, draw())).token
}

describe('a program', () => {
  it('is who the grant says, with the groups of the grant', async () => {
    expect(await whoIs(await grant())).toMatchObject({
      user: 'program:prometheus',
      groups: ['leasehold:viewers', 'system:authenticated'],
    })
  })

  it('is refused with a secret that is not its own, or under another name', async () => {
    const token = await grant()
    await grant('other')
    expect(await whoIs(`${token.slice(0, -1)}_`)).toBeUndefined()
    expect(await whoIs(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)).toBeUndefined()
    expect(await whoIs(token.replace('prometheus', 'other'))).toBeUndefined()
  })

  it('exchanges its token for another; the old one is good for ten minutes more', async () => {
    const first = await grant()
    const second = await renew(first)
    expect(await whoIs(first)).toBeDefined()
    install.clock.nowMs += 600_000
    expect([await whoIs(first), (await whoIs(second))?.user]).toEqual([
      undefined,
      'program:prometheus',
    ])
  })

  it('may ask again with the token it has when the answer was lost', async () => {
    const first = await grant()
    const lost = await renew(first)
    const second = await renew(first)
    expect(await whoIs(lost)).toBeUndefined()
    expect(await whoIs(second)).toBeDefined()
  })

  it('lives on by renewals, but not beyond the end of the grant', async () => {
    let token = await grant()
    install.clock.nowMs += 23 * HOUR_MS
    token = await renew(token)
    install.clock.nowMs += 6 * HOUR_MS
    expect(await whoIs(token)).toBeDefined()
    install.clock.nowMs += HOUR_MS
    expect(await whoIs(token)).toBeUndefined()
    // The name is free again.
    expect(await whoIs(await grant())).toBeDefined()
  })

  it('is cut off when its token was not renewed in time', async () => {
    const token = await grant()
    install.clock.nowMs += 24 * HOUR_MS
    expect(await whoIs(token)).toBeUndefined()
  })

  it('is cut off at once when the grant is revoked', async () => {
    const token = await grant()
    expect(await whoIs(token)).toBeDefined()
    expect(await revokeGrant(install.store, 'prometheus')).toBe('revoked')
    expect(await whoIs(token)).toBeUndefined()
    expect(await revokeGrant(install.store, 'prometheus')).toBe('absent')
  })

  it('is not renewed by a user token of the same name', async () => {
    await grant()
    const user = { user: 'program:prometheus', groups: [] }
    await expect(renew(await tokenFor(install, 'admin', user))).rejects.toThrow('issued last')
  })

  it('has one grant at a time, of which no secret is stored', async () => {
    const token = await grant()
    const [, , secret = ''] = token.split('.')
    await expect(grant()).rejects.toThrow('taken')
    const [found] = await listGrants(install.store.records)
    expect(found?.value.groups).toEqual(['leasehold:viewers'])
    expect(JSON.stringify(found)).not.toContain(secret)
  })
})

it.each([
  ['leasehold:viewers', true],
  ['leasehold:operators', true],
  ['leasehold:lease-users:shop', true],
  ['leasehold:lease-users:', false],
  ['leasehold:lease-users:kube-node-lease', false],
  ['leasehold:canary', false],
  ['system:masters', false],
  ['system:nodes', false],
])('the group %s can be granted: %s', (group, can) => {
  expect(isGrantable(group)).toBe(can)
})
