import { describe, expect, it } from 'vitest'
import { leaseWorkload } from './lease-calls.ts'
import { readAnswer } from './workload.ts'

const answered = (status: number, message: string) => ({
  status,
  headers: {},
  text: '',
  body: { kind: 'Status', message },
})

describe('an answer', () => {
  it.each([
    { status: 404, message: 'leases "a" not found', why: 'missing' },
    { status: 422, message: 'must be specified for an update', why: 'invalid' },
    { status: 429, message: 'the database is too busy', why: 'busy' },
    { status: 409, message: 'the lease is held by "b" until 10:00', why: 'held' },
    { status: 409, message: 'leases "a" already exists', why: 'exists' },
    { status: 409, message: 'the object has been modified; please', why: 'modified' },
    { status: 409, message: 'ResourceVersion in precondition: 1', why: 'version' },
    { status: 409, message: 'UID in precondition: 1', why: 'uid' },
    { status: 403, message: 'forbidden', why: 'other' },
  ] as const)('of $status with "$message" is refused: $why', ({ status, message, why }) => {
    const read = readAnswer(leaseWorkload, { do: 'put' }, answered(status, message))
    expect(read).toEqual({ outcome: 'refused', status, why })
  })

  it.each([500, 503, 504])('of %d says nothing', (status) => {
    const read = readAnswer(leaseWorkload, { do: 'put' }, answered(status, 'sorry'))
    expect(read).toEqual({ outcome: 'unknown', status })
  })

  it('of a write shows the object', () => {
    const metadata = { resourceVersion: '12', uid: 'u' }
    const spec = { holderIdentity: 'a', renewTime: 't', leaseTransitions: 3 }
    const answer = { status: 200, headers: {}, text: '', body: { metadata, spec } }
    const seen = { version: 12, uid: 'u', token: 't', holder: 'a', transitions: 3 }
    expect(readAnswer(leaseWorkload, { do: 'put' }, answer)).toMatchObject({ outcome: 'ok', seen })
  })
})
