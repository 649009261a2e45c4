/**
 * May the one who is signed in do this? Asked once of the server, so that nobody is offered what
 * would be refused.
 */

export interface RulesReview {
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

export function mayOf(review: RulesReview): May {
  const rules = review.status?.resourceRules ?? []
  return (verb, group, resource) =>
    rules.some(
      ({ verbs, apiGroups, resources, resourceNames }) =>
        // A right to some objects only is left to the server to judge.
        !resourceNames?.length &&
        covers(verbs, verb) &&
        covers(apiGroups, group) &&
        covers(resources, resource),
    )
}

const covers = (list: readonly string[] = [], one: string) =>
  list.includes(one) || list.includes('*')
