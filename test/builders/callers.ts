/** Callers whose tokens are plain words, for apis that need not check a signature. */
import type { Authenticator, Identity } from '../../shared/auth/identity.ts'

export const caller = (user: string, ...groups: string[]): Identity => ({
  user,
  groups: [...groups, 'system:authenticated'],
})

/** Bearer token -> identity. */
export const wellKnownCallers: Readonly<Record<string, Identity>> = {
  admin: caller('admin', 'system:masters'),
  viewer: caller('vera', 'leasehold:viewers'),
  operator: caller('olaf', 'leasehold:operators'),
}

/** Reads the map at every request: a test may change it meanwhile. */
export const tokenAuthenticator = (callers: ReadonlyMap<string, Identity>): Authenticator => ({
  async authenticate(authorization) {
    if (authorization === undefined) return { kind: 'anonymous' }
    const identity = callers.get(authorization.replace(/^Bearer /, ''))
    return identity ? { kind: 'known', identity } : { kind: 'refused' }
  },
})
