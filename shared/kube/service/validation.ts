/** May this Service be stored? Kubernetes' rules, but for those about addresses that it allocates. */
import { parseCidr } from '../cidr.ts'
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  invalidValues,
  requiredValue,
  unsupportedValue,
} from '../field-errors.ts'
import { labelName, qualifiedName, subdomainName } from '../meta/names.ts'
import { validateLabels } from '../meta/validation.ts'
import type { ServicePort, ServiceSpec } from './schema.ts'

const HEADLESS = 'None'
const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === HEADLESS

/** What a member may say, by its name; most may also be absent. */
const CHOICES = {
  type: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
  sessionAffinity: ['ClientIP', 'None'],
  ipFamilyPolicy: ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
  internalTrafficPolicy: ['Cluster', 'Local'],
  externalTrafficPolicy: ['Cluster', 'Local'],
  trafficDistribution: ['PreferClose', 'PreferSameZone', 'PreferSameNode'],
} as const
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const FAMILIES = ['IPv4', 'IPv6']
const MAX_AFFINITY_SECONDS = 86_400

export function validateServiceSpec(spec: ServiceSpec): FieldErrors {
  const names = Object.keys(CHOICES) as (keyof typeof CHOICES)[]
  return [
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector ?? {}, 'spec.selector'),
    ...names.flatMap((name) => oneOf(`spec.${name}`, spec[name], CHOICES[name])),
    ...validateAffinity(spec),
    ...(spec.type === 'ExternalName' ? [] : validateAddresses(spec)),
    ...(spec.externalIPs ?? []).flatMap((ip, i) => validateIp(ip, `spec.externalIPs[${i}]`)),
    ...validateLoadBalancer(spec),
  ]
}

const oneOf = (path: string, value: string | undefined, choices: readonly string[]): FieldErrors =>
  value === undefined || choices.includes(value) ? [] : [unsupportedValue(path, value, choices)]

function validateType(spec: ServiceSpec): FieldErrors {
  const { type, ports = [], externalName = '', clusterIPs = [] } = spec
  if (type === 'ExternalName') {
    const why = 'may not be set for ExternalName services'
    const alias = externalName.replace(/\.$/, '')
    return [
      ...(clusterIPs.length > 0 ? [forbiddenField('spec.clusterIPs', why)] : []),
      ...(spec.ipFamilies?.length ? [forbiddenField('spec.ipFamilies', why)] : []),
      ...(spec.ipFamilyPolicy ? [forbiddenField('spec.ipFamilyPolicy', why)] : []),
      ...(alias
        ? invalidValues('spec.externalName', alias, subdomainName(alias))
        : [requiredValue('spec.externalName')]),
    ]
  }
  if (!isHeadless(spec)) return ports.length === 0 ? [requiredValue('spec.ports')] : []
  const why = `may not be set to 'None' for ${type} services`
  return type === 'ClusterIP' ? [] : [invalidValue('spec.clusterIPs[0]', HEADLESS, why)]
}

function validatePorts({ ports = [], type }: ServiceSpec): FieldErrors {
  const earlier = (i: number, key: (port: ServicePort) => unknown) =>
    ports.slice(0, i).some((port) => key(port) === key(ports[i]!))
  return ports.flatMap((port, i): FieldErrors => {
    const path = `spec.ports[${i}]`
    const { name = '', protocol, nodePort = 0 } = port
    const unnamed = ports.length > 1 && name === '' ? [requiredValue(`${path}.name`)] : []
    const repeats = [
      name && earlier(i, (one) => one.name) && duplicateValue(`${path}.name`, name),
      nodePort &&
        earlier(i, (one) => `${one.protocol} ${one.nodePort}`) &&
        duplicateValue(`${path}.nodePort`, nodePort),
      earlier(i, (one) => `${one.protocol} ${one.port}`) &&
        duplicateValue(path, { protocol, port: port.port }),
    ].flatMap((found) => found || [])
    const barred = "may not be used when `type` is 'ClusterIP'"
    return [
      ...unnamed,
      ...(name ? invalidValues(`${path}.name`, name, labelName(name)) : []),
      ...validatePortNumber(port.port ?? 0, `${path}.port`),
      ...oneOf(`${path}.protocol`, protocol, PROTOCOLS),
      ...validateTarget(port.targetPort ?? 0, `${path}.targetPort`),
      ...(port.appProtocol === undefined
        ? []
        : invalidValues(`${path}.appProtocol`, port.appProtocol, qualifiedName(port.appProtocol))),
      ...(type === 'ClusterIP' && nodePort ? [forbiddenField(`${path}.nodePort`, barred)] : []),
      ...repeats,
    ]
  })
}

const validatePortNumber = (port: number, path: string): FieldErrors =>
  port >= 1 && port <= 65_535
    ? []
    : [invalidValue(path, port, 'must be between 1 and 65535, inclusive')]

/** A name of a port: RFC 6335, as IANA registers them. */
const PORT_NAME = /^(?=.*[a-z])(?!.*--)[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/

function validateTarget(port: number | string, path: string): FieldErrors {
  if (typeof port === 'number') return validatePortNumber(port, path)
  const why =
    'must be at most 15 lower case letters, digits and single dashes between them, ' +
    'with at least one letter'
  return PORT_NAME.test(port) ? [] : [invalidValue(path, port, why)]
}

function validateAffinity(spec: ServiceSpec): FieldErrors {
  const { sessionAffinity, sessionAffinityConfig: config } = spec
  const path = 'spec.sessionAffinityConfig'
  const seconds = config?.clientIP?.timeoutSeconds
  if (sessionAffinity !== 'ClientIP' || seconds === undefined) return []
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return []
  const why = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`
  return [invalidValue(`${path}.clientIP.timeoutSeconds`, seconds, why)]
}

function validateAddresses(spec: ServiceSpec): FieldErrors {
  const { clusterIP = '', clusterIPs: ips = [], ipFamilies: families = [] } = spec
  const path = 'spec.clusterIPs'
  const differs = ips.length > 0 && ips[0] !== clusterIP
  const why = clusterIP
    ? 'first value must match `clusterIP`'
    : 'must be empty when `clusterIP` is not specified'
  const alone = "'None' must be the first and only value"
  return [
    ...(differs ? [invalidValue(path, ips, why)] : []),
    ...families.flatMap((family, i) => oneOf(`spec.ipFamilies[${i}]`, family, FAMILIES)),
    ...families.flatMap((family, i) =>
      families.indexOf(family) === i ? [] : [duplicateValue(`spec.ipFamilies[${i}]`, family)],
    ),
    ...ips.flatMap((ip, i) => {
      if (i > 0 || ip !== HEADLESS) return validateIp(ip, `${path}[${i}]`)
      return ips.length > 1 ? [invalidValue(path, ips, alone)] : []
    }),
    ...(ips.length > 2 ? [invalidValue(path, ips, 'may only hold up to 2 values')] : []),
  ]
}

function validateIp(ip: string, path: string): FieldErrors {
  const isAddress = parseCidr(`${ip}/32`) !== undefined
  const why = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
  return isAddress ? [] : [invalidValue(path, ip, why)]
}

function validateLoadBalancer(spec: ServiceSpec): FieldErrors {
  const { type, externalIPs = [], loadBalancerSourceRanges: ranges = [] } = spec
  const isBalanced = type === 'LoadBalancer'
  const isExternal =
    isBalanced || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0)
  const only = "may only be used when `type` is 'LoadBalancer'"
  const policy = spec.externalTrafficPolicy
  const inside = 'may only be set for externally-accessible services'
  return [
    ...(policy && !isExternal ? [invalidValue('spec.externalTrafficPolicy', policy, inside)] : []),
    ...(ranges.length > 0 && !isBalanced
      ? [forbiddenField('spec.LoadBalancerSourceRanges', only)]
      : []),
    ...ranges.flatMap((range, i) =>
      parseCidr(range.trim())
        ? []
        : [
            invalidValue(
              `spec.LoadBalancerSourceRanges[${i}]`,
              range,
              'must be a valid CIDR value',
            ),
          ],
    ),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && !isBalanced
      ? [forbiddenField('spec.allocateLoadBalancerNodePorts', only)]
      : []),
    ...(spec.loadBalancerClass !== undefined && !isBalanced
      ? [forbiddenField('spec.loadBalancerClass', only)]
      : []),
  ]
}

/** An address stays until the service becomes an alias, or was one. */
export function validateServiceChange(spec: ServiceSpec, old: ServiceSpec): FieldErrors {
  const isAlias = spec.type === 'ExternalName' || old.type === 'ExternalName'
  const path = 'spec.clusterIPs[0]'
  const [before] = old.clusterIPs ?? []
  const [now] = spec.clusterIPs ?? []
  const moved =
    isAlias || before === undefined || before === now
      ? []
      : [invalidValue(path, spec.clusterIPs, 'may not change once set')]
  const staysBalanced = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer'
  return staysBalanced && spec.loadBalancerClass !== old.loadBalancerClass
    ? [...moved, invalidValue('spec.loadBalancerClass', spec.loadBalancerClass, FIXED_CLASS)]
    : moved
}

const FIXED_CLASS = 'may not change once set'
