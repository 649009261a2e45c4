/** May this caller do that? Pure: it reads the tables of `rules.ts` and nothing else. */
import type { Attributes, Authorizer, Identity } from './identity.ts'
import { type PathRule, type Rule, type Rules, rulesOf } from './rules.ts'
import { nodeNameOf } from './subject.ts'

/**
 * One array per identity object, and the authenticator hands out the same object for the same
 * token.
 */
const remembered = new WeakMap<Identity, Rules>()

export function createAuthorizer(): Authorizer {
  return {
    authorize(identity, attributes) {
      const rules = remember(identity)
      const allowed = attributes.resource
        ? rules.resources.some((rule) => covers(rule, identity, attributes))
        : rules.paths.some((rule) => coversPath(rule, attributes))
      return allowed
        ? { kind: 'allowed' }
        : { kind: 'denied', reason: denial(identity, attributes) }
    },
  }
}

function remember(identity: Identity): Rules {
  const known = remembered.get(identity)
  if (known) return known
  const rules = rulesOf(identity)
  remembered.set(identity, rules)
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

/** Such a list holds pods of the node and nothing else, so nobody need look at what it names. */
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

/**
 * Why not, beyond Kubernetes' sentence, which the api writes: for a node, what it would have
 * needed.
 */
function denial(identity: Identity, attributes: Attributes): string {
  const { resource, verb } = attributes
  if (!nodeNameOf(identity) || resource !== 'pods' || !isRead(verb)) return ''
  return 'a node can only read pods bound to itself'
}

/** The status of a SelfSubjectRulesReview. */
export interface RulesReview {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  readonly nonResourceRules: readonly PathRule[]
  /** True where a rule also depends on the object, which this answer has no words for. */
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
