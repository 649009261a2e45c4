/** `leasehold explain`: why a node, a pod, a zone or the fleet is as it is, and what comes next. */
import { explainNamed } from '../../functions/api/explain/explanation-storage.ts'
import { flag, stringFlag, UsageError } from '../../shared/flags/flag-set.ts'
import { type Explanation, explanationText } from '../../shared/lifecycle/explain/explanation.ts'
import type { Command } from './command.ts'
import { locateInstall } from './install-location.ts'

const NOTES = `Says which rule decided, the numbers it compared, what would undo it, and what comes next.
The rules are in docs/rules.md. The same from kubectl: kubectl get why [NAME] [-o yaml]`

interface Subject {
  readonly kind: Explanation['kind']
  readonly operands: 0 | 1
  /** The name of the explanation for what was typed. */
  readonly nameOf: (typed: string) => string
}

const explain = ({ kind, operands, nameOf }: Subject): Command => ({
  words: ['explain', kind],
  summary: `why ${kind === 'fleet' ? 'the fleet' : `a ${kind}`} is as it is, and what comes next`,
  flags: { output: { ...flag('text|json', 'the format', 'text'), short: 'o' } },
  notes: NOTES,
  operands,
  operandName: kind === 'pod' ? 'NAMESPACE/NAME' : 'NAME',
  async run(values, context, [typed = '']) {
    const output = stringFlag(values.output) ?? 'text'
    if (output !== 'text' && output !== 'json') throw new UsageError('--output is text or json')
    const name = nameOf(typed)
    const store = await context.open(locateInstall(values, context.env)).store()
    const found = await explainNamed(store, name, context.nowMs())
    if (!found) throw new UsageError(`there is no ${kind} ${typed}`)
    context.print(output === 'json' ? JSON.stringify(found, undefined, 2) : explanationText(found))
  },
})

function podName(typed: string): string {
  const [namespace, name] = typed.split('/')
  if (!namespace || !name) throw new UsageError('say which pod: NAMESPACE/NAME')
  return `pod.${namespace}.${name}`
}

export const explainCommands: readonly Command[] = [
  explain({ kind: 'node', operands: 1, nameOf: (typed) => `node.${typed}` }),
  explain({ kind: 'pod', operands: 1, nameOf: podName }),
  explain({ kind: 'zone', operands: 1, nameOf: (typed) => `zone.${typed}` }),
  explain({ kind: 'fleet', operands: 0, nameOf: () => 'fleet' }),
]
