/** A client that can be asked to try a verb on a resource; what it cannot do is absent. */
import type { Resource, Verb } from '../../../shared/kube/resource.ts'

export interface Attempt {
  readonly resource: Resource
  /** Empty for the object itself. */
  readonly subresource: string
  readonly name: string
}

/** Resolves when the client was satisfied, rejects with what it said otherwise. */
export type Try = (attempt: Attempt) => Promise<unknown>

export interface Client {
  /** Stands for it in the table. */
  readonly letter: string
  readonly verbs: Readonly<Record<Verb, Try>>
  close(): void
}

/** The object, for a subresource that can only be written. */
export const readable = (attempt: Attempt): Attempt => {
  const part = attempt.resource.subresources.find(({ name }) => name === attempt.subresource)
  return part && !part.verbs.includes('get') ? { ...attempt, subresource: '' } : attempt
}

export const ANNOTATED = { metadata: { annotations: { sample: 'patched' } } }
