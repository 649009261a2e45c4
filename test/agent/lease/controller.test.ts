import { describe, expect, it } from 'vitest'
import type { Lease } from '../../../shared/kube/objects.ts'
import { runLease } from '../timed-loops.ts'

const seconds = (given: number) => ({ 'leasehold-beat-seconds': String(given) })

/** Keeps what it is given, and asks for a pace. */
const asking = (headers: Record<string, string>) => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'foo', uid: 'u' }
  let lease: Lease = { metadata: { name: 'foo', ownerReferences: [owner] } }
  return ({ method, body }: { readonly method: string; readonly body?: unknown }) => {
    if (method === 'PUT') lease = body as Lease
    return { code: 200, body: lease, headers }
  }
}

describe('a beat that is asked for', () => {
  it.each([
    { when: 'faster', asked: 2, at: [0, 2, 4, 6], lease: 40 },
    {
      when: 'slower, first in time for the lease that is there',
      asked: 20,
      at: [0, 10, 30, 50],
      lease: 80,
    },
    { when: 'faster than is good for anybody', asked: 0.01, at: [0, 0.5, 1, 1.5], lease: 40 },
    { when: 'absurd', asked: -1, at: [0, 10, 20, 30], lease: 40 },
  ])('is $when', async ({ asked, at, lease }) => {
    const { calls } = await runLease({ answer: asking(seconds(asked)) })
    const beats = calls.filter(({ method }) => method === 'PUT')
    expect(beats.slice(0, 4).map(({ atSeconds }) => atSeconds)).toEqual(at)
    expect(beats[1]?.body).toMatchObject({ spec: { leaseDurationSeconds: lease } })
  })

  it('counts on no longer a lease than the one that was sent', async () => {
    const headers = { ...seconds(20), 'leasehold-grace-seconds': '100' }
    const { accepted } = await runLease({ answer: asking(headers) })
    const leases = accepted.map(({ leaseDurationSeconds }) => leaseDurationSeconds)
    expect(leases.slice(0, 3)).toEqual([40, 80, 80])
  })

  it.each([
    { asked: 20, timeoutMs: 10_000 },
    { asked: 4, timeoutMs: 4_000 },
    { asked: 0.6, timeoutMs: 2_000 },
  ])('every $asked s waits $timeoutMs ms for its answer', async ({ asked, timeoutMs }) => {
    const { calls } = await runLease({ answer: asking(seconds(asked)) })
    const beats = calls.filter(({ method }) => method === 'PUT')
    expect(beats[1]).toMatchObject({ timeoutMs })
  })

  it('is the own one again when it is no longer asked for', async () => {
    let left = 3
    const fast = asking(seconds(1))
    const usual = asking({})
    const { calls } = await runLease({ answer: (call) => (left-- > 0 ? fast(call) : usual(call)) })
    const beats = calls.filter(({ method }) => method === 'PUT').map(({ atSeconds }) => atSeconds)
    expect(beats.slice(0, 5)).toEqual([0, 1, 2, 12, 22])
  })
})

describe('an answer that names the version alone', () => {
  it('is asked for, and the next beat is the lease that was sent, at that version', async () => {
    let version = 7
    const whole = asking({})
    const { calls } = await runLease({
      answer: (call) => {
        const answer = whole(call)
        if (call.method !== 'PUT') return answer
        version += 1
        const body = { metadata: { resourceVersion: String(version) } }
        return { ...answer, body, headers: { 'preference-applied': 'return=minimal' } }
      },
    })
    const beats = calls.filter(({ method }) => method === 'PUT')
    expect(beats[0]).toMatchObject({ prefer: 'return=minimal' })
    expect(beats[2]?.body).toMatchObject({
      metadata: { name: 'foo', resourceVersion: '9', ownerReferences: [{ uid: 'u' }] },
      spec: { holderIdentity: expect.any(String) },
    })
    expect(calls.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })
})
