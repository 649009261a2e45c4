import { describe, expect, it } from 'vitest'
import { monitorLeaseKey } from '../../../shared/lifecycle/record-names.ts'
import { leaseTakenPrefix } from '../../../shared/store/announcement.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'

async function announcedAfterTaking(key: { readonly namespace: string; readonly name: string }) {
  const store = memoryStore({ clock: () => Date.UTC(2026, 0, 1) })
  const metadata = { ...key, uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' }
  await store.leases.create({ metadata, spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } })
  return await store.records.get(`${leaseTakenPrefix}${key.namespace}/${key.name}`)
}

describe('a lease that is taken', () => {
  it('is announced', async () => {
    const key = { namespace: 'kube-system', name: 'a-controller' }
    expect(await announcedAfterTaking(key)).toMatchObject({ value: { to: 'a' } })
  })

  it.each([monitorLeaseKey.name, 'leasehold-canary'])(
    'is not when it is our own: %s',
    async (name) => {
      expect(await announcedAfterTaking({ ...monitorLeaseKey, name })).toBeUndefined()
    },
  )
})
