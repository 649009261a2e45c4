import { describe, expect, it } from 'vitest'
import type { Toleration } from '../../../../shared/kube/objects.ts'
import { PODS, pod, world } from '../world.ts'

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const chosen = { notReadySeconds: 20, unreachableSeconds: 0 }
const secondsOf = (tolerations: readonly Toleration[]) =>
  Object.fromEntries(tolerations.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]))

describe('a pod that does not say how long it stays', () => {
  it.each([
    { when: 'nothing was chosen', settings: {}, notReady: 300, unreachable: 300 },
    { when: 'the install chose', settings: { tolerations: chosen }, notReady: 20, unreachable: 0 },
  ])('gets what holds here: $when', async ({ settings, notReady, unreachable }) => {
    const place = world({ settings })
    const made = await place.call('POST', PODS, { body: pod('p') })
    const wanted = { [NOT_READY]: notReady, [UNREACHABLE]: unreachable }
    expect(secondsOf(made.body.spec.tolerations)).toEqual(wanted)
  })

  it('keeps what it says itself, and gets the rest when it is changed', async () => {
    const place = world({ settings: { tolerations: chosen } })
    const own = { key: NOT_READY, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 }
    const { metadata, spec } = pod('p')
    await place.call('POST', PODS, { body: { metadata, spec: { ...spec, tolerations: [own] } } })
    const type = 'application/merge-patch+json'
    const body = { metadata: { labels: { a: 'b' } } }
    const changed = await place.call('PATCH', `${PODS}/p`, { body, type })
    expect(secondsOf(changed.body.spec.tolerations)).toEqual({ [NOT_READY]: 7, [UNREACHABLE]: 0 })
  })
})
