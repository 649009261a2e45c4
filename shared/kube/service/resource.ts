/** Services: kubelets list and watch them for the environment of containers. Nothing routes to them. */

import { ageColumn, nameColumn, textColumn, wide } from '../columns.ts'
import { namespacedFields } from '../meta/metadata.ts'
import { labelName } from '../meta/names.ts'
import {
  type MetadataRules,
  validateCoreMetadataUpdate,
  validateMetadata,
} from '../meta/validation.ts'
import { plainResource } from '../plain-resource.ts'
import { type Resource, STATUS } from '../resource.ts'
import { type Service, type ServicePort, type ServiceSpec, serviceSchema } from './schema.ts'
import { validateServiceChange, validateServiceSpec } from './validation.ts'

const plain = plainResource<Service>()

export const services: Resource<Service> = {
  ...plain,
  group: '',
  plural: 'services',
  singular: 'service',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  subresources: [STATUS],
  createOnUpdate: true,
  unconditionalUpdate: true,
  selectable: (service) => ({
    ...namespacedFields(service),
    'spec.clusterIP': service.spec?.clusterIP ?? '',
    'spec.type': service.spec?.type ?? '',
  }),
  schema: serviceSchema,
  columns: [
    nameColumn,
    textColumn<Service>('Type', 'How it is reached.', ({ spec }) => spec?.type ?? ''),
    textColumn<Service>('Cluster-IP', 'Its address.', ({ spec }) => spec?.clusterIPs?.[0] ?? NONE),
    textColumn<Service>('External-IP', 'Its addresses outside.', externalAddress),
    textColumn<Service>('Port(s)', 'Its ports.', ({ spec }) => portsText(spec?.ports ?? [])),
    ageColumn,
    wide(textColumn<Service>('Selector', 'Which pods serve it.', selectorText)),
  ],
  withDefaults: (service) => ({ ...service, spec: withDefaults(service.spec ?? {}) }),
  prepareForCreate: (service) => ({
    ...plain.prepareForCreate(service),
    // A new service has no load balancer yet, whatever status the client sent.
    status: { loadBalancer: {} },
  }),
  prepareForUpdate: (service, old, subresource) => ({
    ...plain.prepareForUpdate(service, old),
    spec: subresource === 'status' ? old.spec : withOldAddress(service.spec ?? {}, old.spec ?? {}),
    status: subresource === 'status' ? service.status : old.status,
  }),
  validateCreate: (service) => [
    ...validateMetadata(service.metadata, rules),
    ...validateServiceSpec(service.spec ?? {}),
  ],
  validateUpdate: (service, old, subresource) => [
    ...validateCoreMetadataUpdate(service.metadata, old.metadata),
    ...(subresource === 'status'
      ? []
      : [
          ...validateServiceChange(service.spec ?? {}, old.spec ?? {}),
          ...validateServiceSpec(service.spec ?? {}),
        ]),
  ],
}

const rules: MetadataRules = { namespaced: true, name: labelName, standardFinalizers: true }

/** What Kubernetes takes, three hours. */
const AFFINITY_SECONDS = 10_800

function withDefaults(given: ServiceSpec): ServiceSpec {
  const { type = 'ClusterIP', sessionAffinity = 'None', clusterIP, clusterIPs } = given
  const { sessionAffinityConfig: config, externalIPs = [], ports, ...rest } = given
  const isExternal =
    type === 'NodePort' ||
    type === 'LoadBalancer' ||
    (type === 'ClusterIP' && externalIPs.length > 0)
  const clientIP = config?.clientIP?.timeoutSeconds
    ? config
    : { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
  return {
    ...rest,
    type,
    ...(ports && { ports: ports.map(withPortDefaults) }),
    ...(externalIPs.length > 0 && { externalIPs }),
    ...(clusterIP && !clusterIPs?.length && { clusterIPs: [clusterIP] }),
    ...(!clusterIP && clusterIPs?.[0] && { clusterIP: clusterIPs[0] }),
    sessionAffinity,
    ...(sessionAffinity === 'ClientIP' && { sessionAffinityConfig: clientIP }),
    ...(isExternal && { externalTrafficPolicy: given.externalTrafficPolicy || 'Cluster' }),
    ...(type !== 'ExternalName' && {
      internalTrafficPolicy: given.internalTrafficPolicy ?? 'Cluster',
    }),
    ...(type === 'LoadBalancer' && {
      allocateLoadBalancerNodePorts: given.allocateLoadBalancerNodePorts ?? true,
    }),
  }
}

const withPortDefaults = (port: ServicePort): ServicePort => ({
  ...port,
  protocol: port.protocol || 'TCP',
  targetPort: port.targetPort || (port.port ?? 0),
})

/** An update need not repeat the address. */
function withOldAddress(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  const keeps = spec.type !== 'ExternalName' && !spec.clusterIP && old.clusterIP
  return keeps ? { ...spec, clusterIP: old.clusterIP, clusterIPs: old.clusterIPs } : spec
}

const NONE = '<none>'

function externalAddress({ spec, status }: Service): string {
  if (spec?.type === 'ExternalName') return spec.externalName ?? ''
  const balanced = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname)
  const all = [...(spec?.type === 'LoadBalancer' ? balanced : []), ...(spec?.externalIPs ?? [])]
  if (all.length > 0) return all.join(',')
  return spec?.type === 'LoadBalancer' ? '<pending>' : NONE
}

const portsText = (ports: readonly ServicePort[]): string =>
  ports
    .map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`)
    .join(',') || NONE

function selectorText({ spec }: Service): string {
  const pairs = Object.entries(spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`)
  return pairs.join(',') || NONE
}
