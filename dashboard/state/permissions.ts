/** May the user do this? Read once, so that the page offers nothing the server would refuse. */

export interface SelfSubjectRulesReview {
  readonly status?: {
    readonly resourceRules?: readonly {
      readonly verbs: readonly string[]
      readonly apiGroups?: readonly string[]
      readonly resources?: readonly string[]
      readonly resourceNames?: readonly string[]
    }[]
  }
}

export type May = (verb: string, group: string, resource: string) => boolean

export function mayOf(review: SelfSubjectRulesReview): May {
  const rules = review.status?.resourceRules ?? []
  return (verb, group, resource) =>
    rules.some(
      ({ verbs, apiGroups, resources, resourceNames }) =>
        // Rules for named objects only are left to the server.
        !resourceNames?.length &&
        covers(verbs, verb) &&
        covers(apiGroups, group) &&
        covers(resources, resource),
    )
}

const covers = (list: readonly string[] = [], one: string) =>
  list.includes(one) || list.includes('*')
