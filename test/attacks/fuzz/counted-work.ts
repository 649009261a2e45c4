/** What does a request cost? Calls of the store, units of DynamoDB, objects validated, writes. */
import { resources } from '../../../shared/kube/registry.ts'
import type { Store, WriteStep } from '../../../shared/store/ports.ts'
import { wrappedStore } from '../../store-doubles/wrapped-store.ts'

export interface Work {
  calls: number
  readUnits: number
  writeUnits: number
  validated: number
  /** The largest that was sent to be stored or compared. */
  itemBytes: number
  /** What was changed, as `createObject pods`. */
  readonly writes: string[]
}

export const noWork = (): Work => ({
  calls: 0,
  readUnits: 0,
  writeUnits: 0,
  validated: 0,
  itemBytes: 0,
  writes: [],
})

/** One consistent read of 4 KB, one write of 1 KB. */
const readUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 4096))
const writeUnits = (bytes: number) => Math.max(1, Math.ceil(bytes / 1024))
/** A list asks every shard. */
const SHARDS = 16

const sizes = new WeakMap<object, number>()
function bytesOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + bytesOf(one), 0)
  if (typeof value !== 'object' || value === null) return 1
  const known = sizes.get(value)
  if (known !== undefined) return known
  const size = Buffer.byteLength(JSON.stringify(value) ?? '')
  sizes.set(value, size)
  return size
}

function sentBytes(name: string, args: readonly unknown[]): readonly number[] {
  if (name.startsWith('leases.')) return [bytesOf(args[0])]
  if (name !== 'commit') return [0]
  const parts = (step: WriteStep) =>
    'object' in step ? step.object : 'value' in step ? step.value : undefined
  return (args[0] as readonly WriteStep[]).map((step) => bytesOf(parts(step)))
}

const WRITES_LEASE = new Set(['created', 'replaced', 'renewed', 'removed'])

/** A store that writes down what each request does; `current` says for which. */
export function countedStore(store: Store, current: () => Work): Store {
  return wrappedStore(store, {
    async call(name, act, args) {
      const work = current()
      work.calls += 1
      work.itemBytes = Math.max(work.itemBytes, ...sentBytes(name, args))
      const result: unknown = await act()
      if (name === 'commit') noteCommit(work, args[0] as readonly WriteStep[], result)
      else if (name.startsWith('leases.')) noteLease(work, name, result)
      else noteRead(work, name, result)
      return result as never
    },
    async *pages(name, read) {
      const work = current()
      work.calls += 1
      for await (const page of read()) {
        noteRead(work, name, page)
        yield page
      }
    },
  })
}

function noteRead(work: Work, name: string, result: unknown): void {
  const items = (result as { readonly items?: unknown } | undefined)?.items ?? result
  work.readUnits += readUnits(bytesOf(items)) + (name === 'objects.list' ? SHARDS : 0)
}

function noteLease(work: Work, name: string, result: unknown): void {
  const { kind } = (result ?? {}) as { readonly kind?: string }
  if (kind === undefined) noteRead(work, name, result)
  else work.writeUnits += writeUnits(bytesOf(result))
  if (kind && WRITES_LEASE.has(kind)) work.writes.push(name)
}

function noteCommit(work: Work, steps: readonly WriteStep[], result: unknown): void {
  const price = steps.length > 1 ? 2 : 1
  for (const step of steps) work.writeUnits += price * writeUnits(bytesOf(step))
  if ((result as { readonly kind: string }).kind !== 'committed') return
  for (const step of steps) work.writes.push(nameOf(step))
}

const nameOf = (step: WriteStep): string => {
  if (step.do === 'createObject') return `${step.do} ${step.resource}`
  if (step.do === 'putRecord') return `${step.do} ${step.name.split('/')[0]}`
  return 'believed' in step && typeof step.believed === 'object'
    ? `${step.do} ${step.believed.resource}`
    : step.do
}

type Validator = (...args: never[]) => unknown
type Validators = Record<'validateCreate' | 'validateUpdate', Validator>

/** Counts the objects validated; returns how to stop. */
export function countValidations(current: () => Work): () => void {
  const undo = resources.flatMap((resource) => {
    const validators = resource as unknown as Validators
    return (['validateCreate', 'validateUpdate'] as const).map((name) => {
      const validate = validators[name]
      validators[name] = (...args) => {
        current().validated += 1
        return validate(...args)
      }
      return () => {
        validators[name] = validate
      }
    })
  })
  return () => {
    for (const one of undo) one()
  }
}
