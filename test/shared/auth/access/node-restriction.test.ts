import { describe, expect } from 'vitest'
import { decideAdmission } from '../../../../shared/auth/access/admission.ts'
import type { AdmissionRequest } from '../../../../shared/auth/access/admission-verdict.ts'
import { createAuthorizer } from '../../../../shared/auth/access/authorizer.ts'
import { changedKeys } from '../../../../shared/auth/access/label-rule.ts'
import type { Attributes, Identity } from '../../../../shared/auth/identity.ts'
import {
  type BootstrapToken,
  bootstrapIdentity,
  hashBootstrapToken,
  isExtraGroup,
  parseBootstrapToken,
} from '../../../../shared/auth/join/bootstrap-token.ts'
import { nodeNameOf } from '../../../../shared/auth/subject.ts'
import { isForbiddenNodeLabel } from '../../../../shared/kube/node/well-known.ts'
import type { KubeObject } from '../../../../shared/kube/objects.ts'
import { parseFieldSelector } from '../../../../shared/kube/selectors.ts'
import { casesOf, runCases } from '../../lifecycle/vectors.ts'

// biome-ignore lint/suspicious/noExplicitAny: each stage has a shape of its own
type Loose = any

const FILE = 'node-restriction'
const nowMs = Date.UTC(2026, 0, 1)

/** Whoever is asked about has been let in, so the last group is everybody's. */
function callerOf(given: Loose): Identity {
  const isNamed = given.user !== undefined
  const groups = given.groups ?? (isNamed ? [] : ['system:nodes'])
  const user = isNamed ? (given.user ?? '') : 'system:node:mynode'
  return { user, groups: [...groups, 'system:authenticated'] }
}

const checks: Readonly<Record<string, (given: Loose, expected: Loose) => void>> = {
  identity(given, expected) {
    const nodeName = nodeNameOf(callerOf(given))
    expect({ isNode: nodeName !== undefined, nodeName: nodeName ?? '' }).toEqual(expected)
  },
  authorize(given, expected) {
    const verdict = createAuthorizer().authorize(callerOf(given), attributesOf(given))
    expect(verdict.kind === 'allowed' ? 'allow' : 'noOpinion').toBe(expected.decision)
  },
  admit(given, expected) {
    const verdict = decideAdmission(admissionOf(given))
    const words = { allowed: 'allow', forbidden: 'forbidden', notFound: 'notFound' }
    expect(words[verdict.kind]).toBe(expected.decision)
  },
  labels(given, expected) {
    if (given.key) expect({ forbidden: isForbiddenNodeLabel(given.key) }).toEqual(expected)
    else expect({ changed: changedKeys(given.new, given.old) }).toEqual(expected)
  },
  bootstrapToken(given, expected) {
    if (given.token !== undefined) {
      expect({ wellFormed: parseBootstrapToken(given.token) !== undefined }).toEqual(expected)
    } else if (given.extraGroup !== undefined) {
      expect({ valid: isExtraGroup(given.extraGroup) }).toEqual(expected)
    } else expect(login(given)).toEqual(expected)
  },
  csr(_, expected) {
    expect('there are no certificate signing requests here').toEqual(expected)
  },
}

const SELECTABLE = ['metadata.name', 'spec.nodeName']

function attributesOf(given: Loose): Attributes {
  const { exact } = parseFieldSelector(given.fieldSelector ?? '', SELECTABLE)
  return {
    verb: given.verb,
    group: given.apiGroup,
    resource: given.resource,
    subresource: given.subresource ?? '',
    namespace: given.namespace ?? '',
    name: given.name ?? '',
    path: '',
    fieldSelector: exact,
    ...(given.related !== undefined && { related: given.related }),
  }
}

/** The vectors write metadata, spec and a mirror's marks side by side. */
function objectOf(given: Loose, name: string): KubeObject {
  const { labels, annotations, ownerReferences, mirror, nodeName, spec } = given ?? {}
  const marks = { ...annotations, ...(mirror && { 'kubernetes.io/config.mirror': 'x' }) }
  const referring = (given?.references ?? []).map((to: string) => REFERENCES[to])
  return {
    metadata: { name, labels, ownerReferences, annotations: marks },
    spec: Object.assign({ ...spec }, nodeName && { nodeName }, ...referring),
  } as KubeObject
}

/** A pod that refers to something of that kind, each in a way of its own. */
const REFERENCES: Readonly<Record<string, object>> = {
  serviceaccounts: { serviceAccountName: 'x' },
  secrets: { imagePullSecrets: [{ name: 'x' }] },
  configmaps: { containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'x' } }] }] },
  persistentvolumeclaims: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }] },
  resourceclaims: { resourceClaims: [{ name: 'x' }] },
}

function admissionOf(given: Loose): AdmissionRequest {
  const { op, resource: plural, subresource = '', namespace = '', name = '' } = given
  const group = plural === 'leases' ? 'coordination.k8s.io' : ''
  const stored = { nodeName: given.storedPodNodeName, ...given.old }
  // An eviction is made of a pod that is there; null says that it is not.
  const isStored = (op !== 'create' || subresource !== '') && given.storedPodNodeName !== null
  return {
    identity: callerOf(given),
    operation: op,
    resource: { group, plural, kind: plural },
    subresource,
    key: { namespace, name },
    ...(op !== 'delete' && { object: objectOf(given.object, given.objectName ?? name) }),
    ...(isStored && { old: objectOf(stored, name) }),
    ...(given.nodeUID && { node: { metadata: { name: 'mynode', uid: given.nodeUID } } }),
  }
}

/**
 * The Secret of the vectors, as the record we keep. A record has one use, one kind and does not
 * linger: a Secret of another type, without its usage flag or in deletion is no record.
 */
function recordOf(secret: Loose): BootstrapToken | undefined {
  const { type, data = {}, deleting } = secret ?? {}
  const isToken = type === 'bootstrap.kubernetes.io/token' && !deleting
  if (!isToken || data['usage-bootstrap-authentication'] !== 'true') return undefined
  const id = secret.secretName.slice('bootstrap-token-'.length)
  const { expiration } = data
  const expiresAtMs = expiration?.offsetSeconds
    ? nowMs + expiration.offsetSeconds * 1000
    : expiration && Number.NaN
  return {
    id: data['token-id'],
    hash: hashBootstrapToken({ id, secret: data['token-secret'] }),
    groups: data['auth-extra-groups']?.split(',') ?? [],
    createdAtMs: nowMs,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}

function login({ presented, secret }: Loose) {
  const parts = parseBootstrapToken(presented)
  const isFound = secret?.secretName === `bootstrap-token-${parts?.id}`
  const identity = parts && bootstrapIdentity(parts, isFound ? recordOf(secret) : undefined, nowMs)
  if (!identity) return { authenticated: false }
  return { authenticated: true, user: identity.user, groups: identity.groups }
}

describe('what a node identity may do in Kubernetes', () => {
  const cases = casesOf<Loose, Loose>(FILE)
  runCases(FILE, cases, (given, expected) => checks[given.stage]!(given, expected))
})
