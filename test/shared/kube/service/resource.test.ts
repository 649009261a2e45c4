import { describe, expect, it } from 'vitest'
import { services } from '../../../../shared/kube/service/resource.ts'
import { create, pairs, update } from '../resource-writes.ts'

const metadata = { name: 's', namespace: 'default', resourceVersion: '1' }
const http = { port: 80 }

describe('a Service', () => {
  it('is filled in as Kubernetes does, but gets no address', () => {
    const { stored, errors } = create(services, { metadata, spec: { ports: [http] } })
    expect(errors).toEqual([])
    expect(stored.spec).toEqual({
      type: 'ClusterIP',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    })
    expect(services.columns.map(({ cell }) => cell(stored, 0))).toEqual([
      ...['s', 'ClusterIP', '<none>', '<none>', '80/TCP', '<unknown>', '<none>'],
    ])
  })

  it.each([
    { when: 'a client sticks to its pod', spec: { sessionAffinity: 'ClientIP' } },
    {
      when: 'it is balanced',
      spec: { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] },
    },
    { when: 'it is headless', spec: { clusterIP: 'None', ports: [] } },
    { when: 'it is an alias', spec: { type: 'ExternalName', externalName: 'a.example.com.' } },
    { when: 'it has both families', spec: { clusterIPs: ['10.0.0.1', 'fd00::1'] } },
    { when: 'a port has a name', spec: { ports: [{ port: 1, targetPort: 'http-alt' }] } },
  ])('is taken when $when', ({ spec }) => {
    expect(create(services, { metadata, spec: { ports: [http], ...spec } }).errors).toEqual([])
  })

  it.each([
    { spec: {}, errors: ['spec.ports Required'] },
    {
      spec: { ports: [{ port: 0 }] },
      errors: ['spec.ports[0].port Invalid', 'spec.ports[0].targetPort Invalid'],
    },
    {
      spec: { ports: [{ port: 1, targetPort: 'A' }] },
      errors: ['spec.ports[0].targetPort Invalid'],
    },
    {
      spec: { ports: [{ port: 1, protocol: 'HTTP' }] },
      errors: ['spec.ports[0].protocol NotSupported'],
    },
    { spec: { ports: [{ port: 1, nodePort: 3 }] }, errors: ['spec.ports[0].nodePort Forbidden'] },
    {
      spec: {
        ports: [
          { name: 'a', port: 1 },
          { name: 'a', port: 1 },
        ],
      },
      errors: ['spec.ports[1] Duplicate', 'spec.ports[1].name Duplicate'],
    },
    {
      spec: { ports: [http, { port: 81 }] },
      errors: ['spec.ports[0].name Required', 'spec.ports[1].name Required'],
    },
    { spec: { ports: [http], type: 'Any' }, errors: ['spec.type NotSupported'] },
    { spec: { ports: [http], selector: { 'a b': 'c' } }, errors: ['spec.selector Invalid'] },
    { spec: { ports: [http], clusterIP: 'ten' }, errors: ['spec.clusterIPs[0] Invalid'] },
    {
      spec: { ports: [http], clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] },
      errors: ['spec.clusterIPs Invalid'],
    },
    {
      spec: { ports: [http], clusterIP: 'None', type: 'NodePort' },
      errors: ['spec.clusterIPs[0] Invalid'],
    },
    {
      spec: { type: 'ExternalName', clusterIP: '10.0.0.1' },
      errors: ['spec.clusterIPs Forbidden', 'spec.externalName Required'],
    },
    {
      spec: { ports: [http], externalTrafficPolicy: 'Local' },
      errors: ['spec.externalTrafficPolicy Invalid'],
    },
    {
      spec: { ports: [http], loadBalancerClass: 'a/b' },
      errors: ['spec.loadBalancerClass Forbidden'],
    },
    {
      spec: {
        ports: [http],
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } },
      },
      errors: ['spec.sessionAffinityConfig.clientIP.timeoutSeconds Invalid'],
    },
  ])('with $spec: $errors', ({ spec, errors }) => {
    expect(pairs(create(services, { metadata, spec }).errors)).toEqual(errors)
  })

  it('keeps its address, which an update need not repeat', () => {
    const old = { metadata, spec: { ports: [http], clusterIP: '10.0.0.1' } }
    const to = (spec: object) => update(services, { object: { metadata, spec }, old })
    expect(to({ ports: [http] })).toMatchObject({
      errors: [],
      stored: { spec: { clusterIP: '10.0.0.1' } },
    })
    expect(pairs(to({ ports: [http], clusterIP: '10.0.0.2' }).errors)).toEqual([
      'spec.clusterIPs[0] Invalid',
    ])
    expect(to({ type: 'ExternalName', externalName: 'a.example.com' }).errors).toEqual([])
  })

  it('has a status of its own', () => {
    const old = { metadata, spec: { type: 'LoadBalancer', ports: [http] } }
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
    const { stored } = update(services, {
      object: { metadata, spec: {}, status },
      old,
      path: 'status',
    })
    expect(stored.spec?.type).toBe('LoadBalancer')
    expect(services.columns[3]?.cell(stored, 0)).toBe('192.0.2.1')
    expect(update(services, { object: { ...old, status }, old }).stored.status).toBeUndefined()
  })
})
