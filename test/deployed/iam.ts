/**
 * May this role do that? IAM's rule for identity policies, as far as our roles use it: a statement
 * that allows, none that denies, matched by action and resource. A condition is refused, not
 * guessed at, because no policy of ours has one.
 */
export interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
  readonly Condition?: object
}

export function isAllowed(
  statements: readonly Statement[],
  action: string,
  resource: string,
): boolean {
  const applies = ({ Action, Resource, Condition }: Statement) => {
    if (Condition)
      throw new Error(`a condition that is not understood: ${JSON.stringify(Condition)}`)
    return matchesOne(Action, action, 'i') && matchesOne(Resource, resource)
  }
  const applying = statements.filter(applies)
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow')
}

const matchesOne = (patterns: string | readonly string[], value: string, flags = '') =>
  [patterns].flat().some((pattern) => wildcard(pattern, flags).test(value))

/** `*` is any text and `?` any one character; everything else is meant as it stands. */
function wildcard(pattern: string, flags: string): RegExp {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`, flags)
}
