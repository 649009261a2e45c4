import { describe, expect, it } from 'vitest'
import type { Pod, PodSpec } from '../../../../shared/kube/objects.ts'
import { pods } from '../../../../shared/kube/pod/resource.ts'
import { create, pairs, update } from '../resource-writes.ts'

const containers = [{ name: 'app', image: 'app:1' }]
const metadata = { name: 'p', namespace: 'ns' }
const podWith = (spec: PodSpec, rest: Partial<Pod> = {}): Pod => ({
  metadata,
  spec: { containers, ...spec },
  ...rest,
})
const stored = (spec: PodSpec = {}): Pod => create(pods, podWith(spec)).stored

describe('creating a pod', () => {
  it('fills in what Kubernetes fills in', () => {
    const { stored, errors } = create(pods, podWith({}, { status: { phase: 'Running' } }))
    expect(errors).toEqual([])
    expect(stored.metadata.generation).toBe(1)
    expect(stored.status).toEqual({ phase: 'Pending' })
    expect(stored.spec).toMatchObject({
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
    })
    expect(stored.spec?.tolerations).toHaveLength(2)
  })

  it('keeps a grace of zero', () => {
    expect(stored({ terminationGracePeriodSeconds: 0 }).spec?.terminationGracePeriodSeconds).toBe(0)
  })

  it.each<{ when: string; spec: PodSpec; errors: readonly string[] }>([
    { when: 'it has no container', spec: { containers: [] }, errors: ['spec.containers Required'] },
    {
      when: 'a container has neither name nor image',
      spec: { containers: [{ name: '' }] },
      errors: ['spec.containers[0].image Required', 'spec.containers[0].name Required'],
    },
    {
      when: 'two containers share a name',
      spec: { containers: [...containers, ...containers] },
      errors: ['spec.containers[1].name Duplicate'],
    },
    {
      when: 'an init container takes the name of a container',
      spec: { initContainers: containers },
      errors: ['spec.initContainers[0].name Duplicate'],
    },
    {
      when: 'the node name is no name',
      spec: { nodeName: 'Not_A_Node' },
      errors: ['spec.nodeName Invalid'],
    },
    {
      when: 'the restart policy is unknown',
      spec: { restartPolicy: 'Sometimes' },
      errors: ['spec.restartPolicy NotSupported'],
    },
    {
      when: 'the grace is negative',
      spec: { terminationGracePeriodSeconds: -1 },
      errors: ['spec.terminationGracePeriodSeconds Invalid'],
    },
    {
      when: 'a toleration without key does not say Exists',
      spec: { tolerations: [{ operator: 'Equal', effect: 'NoExecute' }] },
      errors: ['spec.tolerations[0].operator Invalid'],
    },
    {
      when: 'seconds stand beside another effect',
      spec: { tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }] },
      errors: ['spec.tolerations[0].effect Invalid'],
    },
    {
      when: 'a toleration says Exists and names a value',
      spec: { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      errors: ['spec.tolerations[0].operator Invalid'],
    },
    {
      when: 'operator and effect are unknown',
      spec: { tolerations: [{ key: 'a', operator: 'Gt', value: '1', effect: 'Never' }] },
      errors: [
        'spec.tolerations[0].effect NotSupported',
        'spec.tolerations[0].operator NotSupported',
      ],
    },
  ])('is refused when $when', ({ spec, errors }) => {
    expect(pairs(create(pods, podWith(spec)).errors)).toEqual(errors)
  })
})

describe('updating a pod', () => {
  const old = stored({ nodeName: 'n1', activeDeadlineSeconds: 60 })
  const change = (spec: PodSpec, path?: string) =>
    update(pods, { object: { ...old, spec: { ...old.spec, ...spec } }, old, path })

  it.each<{ when: string; spec: PodSpec }>([
    { when: 'nothing changes', spec: {} },
    { when: 'an image changes', spec: { containers: [{ name: 'app', image: 'app:2' }] } },
    { when: 'the deadline comes forward', spec: { activeDeadlineSeconds: 30 } },
    {
      when: 'a toleration is added',
      spec: { tolerations: [...(old.spec?.tolerations ?? []), { key: 'a', operator: 'Exists' }] },
    },
    {
      when: 'tolerations change how long they last',
      spec: {
        tolerations: old.spec?.tolerations?.map((one) => ({ ...one, tolerationSeconds: 9 })),
      },
    },
  ])('is accepted when $when', ({ spec }) => {
    expect(change(spec).errors).toEqual([])
  })

  it.each<{ when: string; spec: PodSpec; errors: readonly string[] }>([
    { when: 'it moves to another node', spec: { nodeName: 'n2' }, errors: ['spec Forbidden'] },
    { when: 'any other field changes', spec: { hostNetwork: true }, errors: ['spec Forbidden'] },
    {
      when: 'the deadline is put off',
      spec: { activeDeadlineSeconds: 90 },
      errors: ['spec.activeDeadlineSeconds Invalid'],
    },
    {
      when: 'the deadline is lifted',
      spec: { activeDeadlineSeconds: undefined },
      errors: ['spec.activeDeadlineSeconds Invalid'],
    },
    {
      when: 'a toleration is turned into another',
      spec: { tolerations: [{ key: 'a', operator: 'Exists' }] },
      errors: ['spec.tolerations Forbidden'],
    },
    {
      when: 'a container is added',
      spec: { containers: [...containers, { name: 'b', image: 'b' }] },
      errors: ['spec.containers Forbidden'],
    },
  ])('is refused when $when', ({ spec, errors }) => {
    // Defaults are put back before judging, so the lost toleration is the one that was the user's.
    const before = {
      ...old,
      spec: {
        ...old.spec,
        tolerations: [{ key: 'mine', operator: 'Exists' }, ...(old.spec?.tolerations ?? [])],
      },
    }
    const object = { ...before, spec: { ...before.spec, ...spec } }
    expect(pairs(update(pods, { object, old: before }).errors)).toEqual(errors)
  })

  it('says which fields it may not change', () => {
    expect(change({ nodeName: 'n2', hostNetwork: true }).errors[0]?.message).toMatch(
      /^Forbidden: pod updates may not change fields other than .*; changed: nodeName, hostNetwork$/,
    )
  })

  it('counts the specs, not the labels', () => {
    const relabelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } }
    expect(update(pods, { object: relabelled, old }).stored.metadata.generation).toBe(1)
    expect(change({ activeDeadlineSeconds: 30 }).stored.metadata.generation).toBe(2)
  })

  it('leaves the status alone on the main path and the spec on the other', () => {
    const object: Pod = { ...old, spec: { containers: [] }, status: { phase: 'Running' } }
    expect(update(pods, { object: { ...object, spec: old.spec }, old }).stored.status).toEqual({
      phase: 'Pending',
    })
    const { stored, errors } = update(pods, { object, old, path: 'status' })
    expect(errors).toEqual([])
    expect(stored.spec).toEqual(old.spec)
    expect(stored.status).toEqual({ phase: 'Running' })
  })
})

describe('binding a pod', () => {
  it('gives it a node once', () => {
    const old = stored()
    const object = { ...old, spec: { ...old.spec, nodeName: 'n1' } }
    const bound = update(pods, { object, old, path: 'binding' })
    expect(bound.errors).toEqual([])
    expect(bound.stored.metadata.generation).toBe(2)
    const moved = { ...object, spec: { ...object.spec, nodeName: 'n2' } }
    const again = update(pods, { object: moved, old: bound.stored, path: 'binding' })
    expect(pairs(again.errors)).toEqual(['spec.nodeName Forbidden'])
  })
})

describe('selecting pods', () => {
  it('knows every field clients ask for', () => {
    const pod: Pod = {
      metadata,
      spec: { nodeName: 'n1' },
      status: { phase: 'Running', podIP: '10.0.0.9' },
    }
    expect(pods.selectable(pod)).toEqual({
      'metadata.name': 'p',
      'metadata.namespace': 'ns',
      'spec.nodeName': 'n1',
      'spec.restartPolicy': '',
      'spec.schedulerName': '',
      'spec.serviceAccountName': '',
      'spec.hostNetwork': 'false',
      'status.phase': 'Running',
      'status.podIP': '10.0.0.9',
      'status.podIPs': '10.0.0.9',
      'status.nominatedNodeName': '',
    })
  })
})
