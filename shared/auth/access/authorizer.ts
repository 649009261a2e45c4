/** May this caller do that? Pure: decided by the tables of `rules.ts` alone. */
import type { Attributes, Authorizer, Identity } from '../identity.ts'
import { groupNames, inAnyGroup, nodeNameOf } from '../subject.ts'
import type { PathRule, Rule, Rules } from './rule.ts'
import { rulesOf } from './rules.ts'

/** By identity object: the authenticator returns the same object for the same token. */
const cachedRules = new WeakMap<Identity, Rules>()

export function createAuthorizer(): Authorizer {
  return {
    authorize(identity, attributes) {
      if (!isRead(attributes.verb) && isClosedTo(identity, attributes)) {
        return { kind: 'denied', reason: SERVICE_LEASE }
      }
      const rules = rulesOfCaller(identity)
      const allowed = attributes.resource
        ? rules.resources.some((rule) => covers(rule, identity, attributes))
        : rules.paths.some((rule) => coversPath(rule, attributes))
      return allowed
        ? { kind: 'allowed' }
        : { kind: 'denied', reason: denial(identity, attributes) }
    },
  }
}

function rulesOfCaller(identity: Identity): Rules {
  const known = cachedRules.get(identity)
  if (known) return known
  const rules = rulesOf(identity)
  cachedRules.set(identity, rules)
  return rules
}

/**
 * Must the caller of `authorize` first find out whether the object is the node's own? True for a
 * node that asks for a pod by name alone: read it, and set `related` to whether its `spec.nodeName`
 * is the node's name.
 */
export function asksForRelation(identity: Identity, attributes: Attributes): boolean {
  const { group, resource, subresource, verb } = attributes
  const readsPod = group === '' && resource === 'pods' && subresource === '' && isRead(verb)
  if (!readsPod || nodeNameOf(identity) === undefined) return false
  return namedIn(attributes) !== '' && !isNarrowedToCaller(identity, attributes)
}

const isRead = (verb: string) => verb === 'get' || verb === 'list' || verb === 'watch'
const has = (list: readonly string[], value: string) => list.includes('*') || list.includes(value)

function covers(rule: Rule, identity: Identity, attributes: Attributes): boolean {
  const { verb, group, resource, subresource, namespace } = attributes
  return (
    has(rule.verbs, verb) &&
    has(rule.apiGroups, group) &&
    has(rule.resources, subresource ? `${resource}/${subresource}` : resource) &&
    (rule.namespace === undefined || rule.namespace === namespace) &&
    (rule.resourceNames === undefined || rule.resourceNames.includes(namedIn(attributes))) &&
    (!rule.related || isRelated(identity, attributes))
  )
}

/** A list narrowed to one name asks for that object. */
const namedIn = ({ name, fieldSelector }: Attributes) =>
  name || fieldSelector?.['metadata.name'] || ''

function isRelated(identity: Identity, attributes: Attributes): boolean {
  if (isNarrowedToCaller(identity, attributes)) return true
  return attributes.related === true && namedIn(attributes) !== ''
}

/** Such a list has only pods of the node, so the objects need not be read first. */
function isNarrowedToCaller(identity: Identity, attributes: Attributes): boolean {
  const { group, resource, verb, fieldSelector } = attributes
  if (group !== '' || resource !== 'pods' || verb === 'get') return false
  const nodeName = fieldSelector?.['spec.nodeName']
  return nodeName !== undefined && nodeName === nodeNameOf(identity)
}

function coversPath(rule: PathRule, { verb, path }: Attributes): boolean {
  const under = (url: string) => url.endsWith('/*') && path.startsWith(url.slice(0, -1))
  return has(rule.verbs, verb) && rule.nonResourceURLs.some((url) => has([url], path) || under(url))
}

/** The reason that is added to Kubernetes' own sentence, which the api writes. */
function denial(identity: Identity, attributes: Attributes): string {
  const { resource, verb } = attributes
  if (!nodeNameOf(identity) || resource !== 'pods' || !isRead(verb)) return ''
  return 'a node can only read pods bound to itself'
}

/** The status of a SelfSubjectRulesReview. */
interface RulesReview {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  readonly nonResourceRules: readonly PathRule[]
  /** True where a rule also depends on the object, which a review cannot express. */
  readonly incomplete: boolean
}

export function rulesFor(identity: Identity, namespace: string): RulesReview {
  const { resources, paths } = rulesOf(identity)
  const here = resources.filter((rule) => !rule.namespace || rule.namespace === namespace)
  return {
    resourceRules: here
      .filter((rule) => !rule.related)
      .map(({ verbs, apiGroups, resources: names, resourceNames }) => ({
        verbs,
        apiGroups,
        resources: names,
        ...(resourceNames && { resourceNames }),
      })),
    nonResourceRules: paths,
    incomplete: here.some((rule) => rule.related),
  }
}

/**
 * The leases by which the service watches itself (its canary, its monitor): with one of them taken,
 * nothing would be judged. Only the service and administrators may write them.
 */
const NAMESPACE = 'kube-system'
/** Reserved, so that a lease of a later version is guarded from its first day. */
const PREFIX = 'leasehold-'

export const SERVICE_LEASE = `leases named ${PREFIX}… in ${NAMESPACE} belong to the service itself`

interface NamedLease {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

export function isClosedTo(identity: Identity, lease: NamedLease): boolean {
  const { group, resource, namespace, name } = lease
  if (group !== 'coordination.k8s.io' || resource !== 'leases') return false
  if (namespace !== NAMESPACE || !name.startsWith(PREFIX)) return false
  return !inAnyGroup(identity, groupNames.masters, groupNames.canary)
}
