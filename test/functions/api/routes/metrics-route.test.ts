import { expect, it } from 'vitest'
import { metricsRoute } from '../../../../functions/api/routes/metrics-route.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'

const T0 = Date.UTC(2026, 0, 1)
let nowMs = T0
const store = memoryStore({ clock: () => nowMs })
const route = metricsRoute({ store, clock: () => nowMs })
const ask = (method = 'GET') =>
  route.handle(new Request('https://x/metrics', { method }), undefined)

it('prints what is stored, with the age of the last tick', async () => {
  const value = { counters: { leasehold_monitor_ticks_total: 7 }, gauges: {}, histograms: {} }
  await store.commit([{ do: 'putRecord', name: 'metrics', value }])
  await store.leases.create({
    metadata: { name: 'leasehold-monitor', namespace: 'kube-system', uid: 'u' },
    spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: 'now' },
  })
  nowMs += 4_500
  const answer = await ask()
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = (await answer.text()).split('\n')
  expect(lines).toContain('leasehold_monitor_ticks_total 7')
  expect(lines).toContain('leasehold_monitor_last_tick_age_seconds 4.5')
})

it('is guarded, and only read', async () => {
  expect(route.access).toBe('guarded')
  await expect(ask('POST')).rejects.toThrow()
})
