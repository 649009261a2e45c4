import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { SignJWT, UnsecuredJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createBootstrapToken,
  revokeBootstrapToken,
} from '../../../shared/auth/join/bootstrap-tokens.ts'
import { readRevocations, revoke } from '../../../shared/auth/tokens/revocations.ts'
import { signToken } from '../../../shared/auth/tokens/signer.ts'
import {
  bearer,
  type Install,
  issued,
  newInstall,
  newSigner,
  startMs,
  tokenFor,
} from './install.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
let install: Install
beforeEach(async () => {
  install = await newInstall()
})

const authenticate = (header: string | undefined, nowMs = install.clock.nowMs) =>
  install.authenticator.authenticate(header, nowMs)
const ann = { user: 'ann', groups: ['leasehold:viewers'] }
const nodeA = { user: 'system:node:a', groups: ['system:nodes'], nodeUid: 'uid-a' }
const known = (identity: object) => ({ kind: 'known', identity: expect.objectContaining(identity) })

describe('authentication', () => {
  it('knows a user by a token of the admin key', async () => {
    const token = await tokenFor(install, 'admin', ann)
    expect(await authenticate(bearer(token))).toEqual({
      kind: 'known',
      identity: {
        user: 'ann',
        groups: ['leasehold:viewers', 'system:authenticated'],
        tokenId: 'id-1',
        issuedAtSeconds: startMs / 1000,
      },
    })
  })

  it('knows a node, and the uid its token is bound to', async () => {
    const token = await tokenFor(install, 'node', nodeA)
    const answer = await authenticate(bearer(token))
    expect(answer).toEqual(known({ user: 'system:node:a', nodeUid: 'uid-a' }))
  })

  it.each([
    { when: 'there is no header', header: undefined, kind: 'anonymous' },
    { when: 'the header is blank', header: '  ', kind: 'anonymous' },
    { when: 'the scheme is another', header: 'Basic YTpi', kind: 'refused' },
    { when: 'the token is missing', header: 'Bearer ', kind: 'refused' },
    { when: 'the token is not one', header: 'Bearer abc', kind: 'refused' },
    { when: 'there are two tokens', header: 'Bearer a.b.c d.e.f', kind: 'refused' },
    { when: 'the header is huge', header: `Bearer ${'a'.repeat(100_000)}`, kind: 'refused' },
    {
      when: 'it looks like a bootstrap token',
      header: 'Bearer abcdef.0123456789abcdef',
      kind: 'refused',
    },
  ])('$when: $kind', async ({ header, kind }) => {
    expect((await authenticate(header)).kind).toBe(kind)
  })

  it('reads the scheme in any case', async () => {
    const token = await tokenFor(install, 'admin', ann)
    expect((await authenticate(`bEARER  ${token}`)).kind).toBe('known')
  })
})

describe('a token is refused', () => {
  it.each([
    { when: 'it was made for another audience', wish: { audience: 'https://elsewhere' } },
    { when: 'another issuer made it', wish: { issuer: 'somebody' } },
    { when: 'it has expired', wish: { nowMs: startMs - HOUR - 6 * SECOND } },
    { when: 'it is not valid yet', wish: { nowMs: startMs + 6 * SECOND } },
  ])('when $when', async ({ wish }) => {
    const token = await tokenFor(install, 'admin', { ...ann, ...wish })
    expect(await authenticate(bearer(token))).toEqual({ kind: 'refused' })
  })

  it.each([
    { when: 'it is a moment past its end', wish: { nowMs: startMs - HOUR - 4 * SECOND } },
    { when: 'the clock of its signer is a little ahead', wish: { nowMs: startMs + 4 * SECOND } },
  ])('not yet when $when', async ({ wish }) => {
    const token = await tokenFor(install, 'admin', { ...ann, ...wish })
    expect((await authenticate(bearer(token))).kind).toBe('known')
  })

  it('when a key of nobody signed it', async () => {
    const order = { ...issued, ...ann, lifetimeSeconds: 60, tokenId: 'x', nowMs: startMs }
    const { token } = await signToken(await newSigner('admin'), order)
    expect(await authenticate(bearer(token))).toEqual({ kind: 'refused' })
  })

  it('when nobody signed it at all', async () => {
    const token = new UnsecuredJWT({ groups: ['system:masters'] })
      .setSubject('eve')
      .setIssuer(issued.issuer)
      .setAudience(issued.audience)
      .encode()
    expect(await authenticate(bearer(token))).toEqual({ kind: 'refused' })
  })

  it('when its public key was used as a shared secret', async () => {
    const { kid, publicJwk } = install.signers.admin
    const token = await new SignJWT({ groups: ['system:masters'] })
      .setProtectedHeader({ alg: 'HS256', kid })
      .setSubject('eve')
      .sign(Buffer.from(JSON.stringify(publicJwk)))
    expect(await authenticate(bearer(token))).toEqual({ kind: 'refused' })
  })

  it('when any of its characters was changed', async () => {
    const token = await tokenFor(install, 'admin', ann)
    // The last character of the signature carries unused bits, which base64url may read alike.
    const spot = fc.integer({ min: 0, max: token.length - 3 })
    await fc.assert(
      fc.asyncProperty(spot, async (at) => {
        const changed = token[at] === 'A' ? 'B' : 'A'
        const forged = `${token.slice(0, at)}${changed}${token.slice(at + 1)}`
        return (await authenticate(bearer(forged))).kind === 'refused'
      }),
      { numRuns: 200 },
    )
  })
})

/** Signs whatever it is told, as a thief with the key would. */
async function forge(role: 'node' | 'admin', claims: object) {
  const signer = install.signers[role]
  const iat = startMs / 1000
  const said = { iss: issued.issuer, aud: issued.audience, iat, nbf: iat, exp: iat + 600, jti: 'j' }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'ES256', kid: signer.kid })}.${encode({ ...said, ...claims })}`
  const signature = Buffer.from(await signer.sign(Buffer.from(text))).toString('base64url')
  return bearer(`${text}.${signature}`)
}

describe('each key speaks only for its own', () => {
  const node = { sub: 'system:node:a', groups: ['system:nodes'], node_uid: 'u' }
  const weekSeconds = 7 * 24 * 3600
  const iat = startMs / 1000

  it.each([
    { when: 'a node', claims: node },
    { when: 'a joining host', claims: { sub: 'system:node:a', groups: ['leasehold:joining'] } },
    { when: 'the canary', claims: { sub: 'leasehold:canary', groups: ['leasehold:canary'] } },
    { when: 'a node for a week', claims: { ...node, exp: iat + weekSeconds } },
  ])('the node key signs for $when', async ({ claims }) => {
    expect((await authenticate(await forge('node', claims))).kind).toBe('known')
  })

  it.each([
    { when: 'an administrator', claims: { sub: 'eve', groups: ['system:masters'] } },
    { when: 'an operator', claims: { sub: 'eve', groups: ['leasehold:operators'] } },
    {
      when: 'a node that is more',
      claims: { ...node, groups: ['system:nodes', 'system:masters'] },
    },
    { when: 'a node without a uid', claims: { ...node, node_uid: undefined } },
    { when: 'a node with an empty uid', claims: { ...node, node_uid: '' } },
    { when: 'a node without a name', claims: { ...node, sub: 'system:node:' } },
    {
      when: 'a bootstrapper',
      claims: { sub: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] },
    },
    { when: 'a joining host with a uid', claims: { ...node, groups: ['leasehold:joining'] } },
    {
      when: 'a joining host for an hour',
      claims: { sub: 'system:node:a', groups: ['leasehold:joining'], exp: iat + 3600 },
    },
    { when: 'a node for longer than a week', claims: { ...node, exp: iat + weekSeconds + 1 } },
    { when: 'somebody in no group', claims: { sub: 'eve', groups: [] } },
    { when: 'groups that are no list', claims: { ...node, groups: 'system:nodes' } },
    { when: 'a node without an end', claims: { ...node, exp: undefined } },
    { when: 'a node without an id', claims: { ...node, jti: undefined } },
  ])('the node key does not sign for $when', async ({ claims }) => {
    expect(await authenticate(await forge('node', claims))).toEqual({ kind: 'refused' })
  })

  it.each([
    { when: 'a node', claims: node },
    { when: 'a node by group', claims: { sub: 'eve', groups: ['system:nodes'] } },
    { when: 'a node by name', claims: { sub: 'system:node:a', groups: ['leasehold:viewers'] } },
    { when: 'a joining host', claims: { sub: 'eve', groups: ['leasehold:joining'] } },
    { when: 'a user for a day', claims: { sub: 'ann', groups: [], exp: iat + 24 * 3600 } },
    { when: 'a user with a uid', claims: { sub: 'ann', groups: [], node_uid: 'u' } },
  ])('the admin key does not sign for $when', async ({ claims }) => {
    expect(await authenticate(await forge('admin', claims))).toEqual({ kind: 'refused' })
  })

  it('refuses to sign what would be refused', async () => {
    const eve = tokenFor(install, 'node', { user: 'eve', groups: ['system:masters'] })
    await expect(eve).rejects.toThrow('the node key may not sign for user eve')
  })
})

const revokeAnn = async (issuedBeforeSeconds: number) => {
  const found = await readRevocations(install.store.records)
  await install.store.commit([revoke(found, { subject: 'ann', issuedBeforeSeconds }, startMs)])
}

describe('a token seen before', () => {
  it('costs no read of the table within half a minute', async () => {
    const header = bearer(await tokenFor(install, 'node', nodeA))
    await authenticate(header)
    const readsBefore = install.counted.reads
    for (let beat = 1; beat < 30; beat++) await authenticate(header, startMs + beat * SECOND)
    expect(install.counted.reads).toBe(readsBefore)
  })

  it('is refused within 30 s of its revocation', async () => {
    const header = bearer(await tokenFor(install, 'admin', ann))
    await authenticate(header)
    await revokeAnn(startMs / 1000 + 1)
    expect((await authenticate(header, startMs + 29 * SECOND)).kind).toBe('known')
    expect(await authenticate(header, startMs + 30 * SECOND)).toEqual({ kind: 'refused' })
  })

  it('stays good when only older tokens are revoked', async () => {
    const header = bearer(await tokenFor(install, 'admin', ann))
    await revokeAnn(startMs / 1000)
    expect((await authenticate(header)).kind).toBe('known')
  })

  it('dies at its end', async () => {
    const header = bearer(await tokenFor(install, 'admin', ann))
    await authenticate(header)
    expect(await authenticate(header, startMs + HOUR + 6 * SECOND)).toEqual({ kind: 'refused' })
  })

  it('dies with its key', async () => {
    const header = bearer(await tokenFor(install, 'admin', ann))
    await authenticate(header)
    install.jwks.keys = install.jwks.keys.filter(({ role }) => role !== 'admin')
    expect(await authenticate(header, startMs + 61 * SECOND)).toEqual({ kind: 'refused' })
  })
})

describe('keys change while the process runs', () => {
  it('a token of a new key is known as soon as the list has it', async () => {
    await authenticate(bearer(await tokenFor(install, 'admin', ann)))
    const fresh = await newSigner('admin')
    install.jwks.keys = [...install.jwks.keys, { ...fresh.publicJwk, role: 'admin' }]
    const order = { ...issued, ...ann, lifetimeSeconds: 60, tokenId: 'x', nowMs: startMs }
    const { token } = await signToken(fresh, order)
    expect((await authenticate(bearer(token), startMs + 10 * SECOND)).kind).toBe('known')
  })
})

describe('when the table does not answer', () => {
  it('the last known revocations hold, and somebody is told', async () => {
    const header = bearer(await tokenFor(install, 'admin', ann))
    await authenticate(header)
    install.counted.broken = true
    expect((await authenticate(header, startMs + 40 * SECOND)).kind).toBe('known')
    expect(install.troubles).toEqual(['revocations could not be read'])
  })

  it('asks again after a few seconds, not at every request', async () => {
    const header = bearer(await tokenFor(install, 'admin', ann))
    await authenticate(header)
    install.counted.broken = true
    const readsBefore = install.counted.reads
    for (let ms = 0; ms < 10_000; ms += 100) await authenticate(header, startMs + 40_000 + ms)
    expect(install.counted.reads - readsBefore).toBe(2)
  })

  it('a process that knows nothing yet believes nobody', async () => {
    const header = bearer(await tokenFor(install, 'admin', ann))
    install.counted.broken = true
    await expect(authenticate(header)).rejects.toMatchObject({ code: 503 })
    install.counted.broken = false
    expect((await authenticate(header)).kind).toBe('known')
  })
})

describe('bootstrap tokens', () => {
  const random = { nowMs: startMs, randomInt: () => 0 }

  it('are known until they expire', async () => {
    const lifetimeMs = HOUR
    const token = await createBootstrapToken(install.store, { groups: [], lifetimeMs }, random)
    expect(await authenticate(bearer(token))).toEqual(
      known({
        user: 'system:bootstrap:aaaaaa',
        groups: ['system:bootstrappers', 'system:authenticated'],
      }),
    )
    expect(await authenticate(bearer(token), startMs + HOUR)).toEqual({ kind: 'refused' })
  })

  it('are refused at once when revoked', async () => {
    const token = await createBootstrapToken(install.store, { groups: [] }, random)
    expect(await revokeBootstrapToken(install.store, 'aaaaaa')).toBe('revoked')
    expect(await revokeBootstrapToken(install.store, 'aaaaaa')).toBe('absent')
    expect(await authenticate(bearer(token))).toEqual({ kind: 'refused' })
  })

  it('are never stored as they are', async () => {
    const token = await createBootstrapToken(install.store, { groups: [] }, random)
    const stored = JSON.stringify(await install.store.records.list(''))
    expect(stored).not.toContain(token.slice(7))
  })
})

describe('whatever is sent', () => {
  const part = fc.oneof(
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
  )
  const jwtish = fc.tuple(part, part, part).map((parts) => `Bearer ${parts.join('.')}`)
  const header = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), jwtish)

  it('the answer is refused or anonymous, never an error', async () => {
    await fc.assert(
      fc.asyncProperty(header, async (sent) => (await authenticate(sent)).kind !== 'known'),
      { numRuns: 500 },
    )
  })

  it('so it is for signed nonsense', async () => {
    const claims = fc.dictionary(
      fc.constantFrom('sub', 'groups', 'iat', 'nbf', 'exp', 'aud', 'iss', 'node_uid', 'jti'),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(claims, async (said) => {
        const answer = await authenticate(await forge('node', said))
        return answer.kind === 'refused'
      }),
      { numRuns: 200 },
    )
  })

  it('another algorithm of a good curve is refused', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const { kid } = install.signers.admin
    const token = await new SignJWT({ groups: [] })
      .setProtectedHeader({ alg: 'ES384', kid })
      .setSubject('eve')
      .sign(privateKey)
    expect(await authenticate(bearer(token))).toEqual({ kind: 'refused' })
  })
})
