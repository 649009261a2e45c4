/** Explanations: why a node, a zone or the fleet is as it is. Computed when asked, never stored. */
import { nameColumn, textColumn, wide } from '../columns.ts'
import { derived } from '../derived-resource.ts'
import { metadataField, typeFields } from '../meta/schema.ts'
import type { KubeObject } from '../objects.ts'
import type { Resource } from '../resource.ts'
import { object, setOf, string, time, unnumbered } from '../schema.ts'

export interface ExplanationObject extends KubeObject {
  readonly status?: {
    readonly subject: string
    readonly what: string
    readonly rule: string
    readonly because: readonly string[]
    readonly since?: string
    readonly undoneBy?: string
    readonly next?: string
    readonly nextTime?: string
    readonly text: string
  }
}

const GROUP = 'dev.leasehold.v1'

const statusSchema = object(`${GROUP}.ExplanationStatus`, 'What decided, and what comes next.', {
  subject: unnumbered(string, 'node, pod, zone or fleet.'),
  what: unnumbered(string, 'How it is, in words.'),
  rule: unnumbered(string, 'The rule that decided; docs/rules.md describes each.'),
  because: unnumbered(setOf(string), 'The facts and numbers the rule compared.'),
  since: unnumbered(time, 'When that happened or began.'),
  undoneBy: unnumbered(string, 'What would undo it.'),
  next: unnumbered(string, 'What comes next, and when.'),
  nextTime: unnumbered(time, 'When the next step comes, where that is known.'),
  text: unnumbered(string, 'All of it as text, as `npx --no-install leasehold explain` prints it.'),
})

const explanationSchema = object(
  `${GROUP}.Explanation`,
  'Why a node, a pod, a zone or the fleet is as it is. Computed when asked, never stored.',
  {
    ...typeFields,
    metadata: metadataField,
    status: unnumbered(statusSchema, 'What decided, and what comes next.'),
  },
)

type Column = (object: ExplanationObject) => string

const column = (name: string, description: string, cell: Column) =>
  textColumn<ExplanationObject>(name, description, cell)

export const explanations: Resource<ExplanationObject> = {
  ...derived<ExplanationObject>(),
  plural: 'explanations',
  singular: 'explanation',
  kind: 'Explanation',
  shortNames: ['why'],
  verbs: ['get', 'list'],
  schema: explanationSchema,
  columns: [
    nameColumn,
    column('What', 'How it is.', ({ status }) => status?.what ?? ''),
    column('Rule', 'The rule that decided.', ({ status }) => status?.rule ?? ''),
    column('Next', 'What comes next.', ({ status }) => status?.next ?? '<none>'),
    wide(column('Because', 'What was compared.', ({ status }) => status?.because.join('; ') ?? '')),
  ],
}
