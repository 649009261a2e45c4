/** What a rule says: the fields of Kubernetes' PolicyRule, and what narrows it further. */

export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  /** Plural, `plural/subresource`, or `*` for all of both. */
  readonly resources: readonly string[]
  /** Absent: every object. A list or watch counts when its selector names one of these. */
  readonly resourceNames?: readonly string[]
  /** Absent: every namespace, and cluster-scoped objects. */
  readonly namespace?: string
  /** Only for objects bound to the calling node: a pod by name, or a list narrowed to the node. */
  readonly related?: true
}

export interface PathRule {
  readonly verbs: readonly string[]
  /** Exact, or ending in `/*`. */
  readonly nonResourceURLs: readonly string[]
}

export interface Rules {
  readonly resources: readonly Rule[]
  readonly paths: readonly PathRule[]
}

export const readVerbs = ['get', 'list', 'watch']
