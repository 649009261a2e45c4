/**
 * RFC 6902: a list of operations, all of which apply or none. The document is copied once and then
 * edited, so the cost of a patch is the size of both, not their product.
 */
import { deepEqual, isObject, MAX_DEPTH, setOwn } from '../json.ts'
import { badRequest, StatusError, tooLarge } from '../status-error.ts'

/** Both limits are Kubernetes' own. */
const MAX_OPERATIONS = 10_000
const MAX_COPIED_BYTES = 3 * 1_048_576

export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch is a list of operations')
  if (patch.length > MAX_OPERATIONS) {
    throw tooLarge(`a JSON patch may have at most ${MAX_OPERATIONS} operations: send several`)
  }
  const edit: Edit = { root: clone(document), copiedBytes: 0, shiftedElements: 0 }
  for (const operation of patch) apply(edit, operation)
  return edit.root
}

/** Inserting at the front of a long list moves all of it; ten thousand times that is minutes. */
const MAX_SHIFTED_ELEMENTS = 50_000_000

interface Edit {
  root: unknown
  copiedBytes: number
  shiftedElements: number
}

type Tokens = readonly string[]

type Operation = Record<string, unknown>

const OPERATIONS: Readonly<Record<string, (edit: Edit, operation: Operation) => void>> = {
  add: (edit, operation) => add(edit, tokensOf(operation.path), newValue(operation)),
  remove: (edit, operation) => remove(edit, tokensOf(operation.path)),
  replace: (edit, operation) => replace(edit, tokensOf(operation.path), newValue(operation)),
  move: (edit, operation) => move(edit, tokensOf(operation.from), tokensOf(operation.path)),
  copy: (edit, operation) => copy(edit, tokensOf(operation.from), tokensOf(operation.path)),
  test: (edit, operation) => test(edit, tokensOf(operation.path), operation.value ?? null),
}

function apply(edit: Edit, operation: unknown): void {
  const op = isObject(operation) && typeof operation.op === 'string' ? operation.op : ''
  if (!isObject(operation) || !Object.hasOwn(OPERATIONS, op)) {
    throw badRequest('an operation of a JSON patch is add, remove, replace, move, copy or test')
  }
  OPERATIONS[op]!(edit, operation)
}

function newValue(operation: Operation): unknown {
  if (Object.hasOwn(operation, 'value')) return clone(operation.value)
  throw badRequest(`the operation ${operation.op} of a JSON patch needs a value`)
}

function tokensOf(pointer: unknown): Tokens {
  if (pointer === '') return []
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) {
    throw badRequest('the path and from of a JSON patch operation must begin with a slash')
  }
  const tokens = pointer.slice(1).split('/')
  if (tokens.length > MAX_DEPTH) throw inapplicable('a path is too long')
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** 422, as Kubernetes answers a patch that is well formed and does not fit the object. */
const inapplicable = (why: string) =>
  new StatusError(
    422,
    'Invalid',
    `the server rejected our request due to an error in our request: ${why}`,
    {},
  )

function add(edit: Edit, path: Tokens, value: unknown): void {
  if (path.length === 0) {
    edit.root = value
    return
  }
  const { parent, last } = parentOf(edit, path)
  if (!Array.isArray(parent)) setOwn(parent, last, value)
  else if (last === '-') parent.push(value)
  else insert(edit, parent, indexOf(last, parent.length), value)
}

function remove(edit: Edit, path: Tokens): void {
  if (path.length === 0) throw inapplicable('the whole object cannot be removed')
  const { parent, last } = parentOf(edit, path)
  if (Array.isArray(parent)) take(edit, parent, indexOf(last, parent.length - 1))
  else if (Object.hasOwn(parent, last)) delete parent[last]
  else throw inapplicable(`nothing to remove at ${shown(path)}`)
}

function insert(edit: Edit, list: unknown[], index: number, value: unknown): void {
  countShift(edit, list.length - index)
  list.splice(index, 0, value)
}

function take(edit: Edit, list: unknown[], index: number): void {
  countShift(edit, list.length - index)
  list.splice(index, 1)
}

function countShift(edit: Edit, elements: number): void {
  edit.shiftedElements += elements
  if (edit.shiftedElements > MAX_SHIFTED_ELEMENTS) throw tooLarge('the JSON patch moves too much')
}

/** A member that is not there is added: the RFC would refuse, Kubernetes does not. */
function replace(edit: Edit, path: Tokens, value: unknown): void {
  if (path.length === 0) {
    edit.root = value
    return
  }
  const { parent, last } = parentOf(edit, path)
  if (Array.isArray(parent)) parent[indexOf(last, parent.length - 1)] = value
  else setOwn(parent, last, value)
}

function move(edit: Edit, from: Tokens, path: Tokens): void {
  const isInside = from.length < path.length && from.every((token, at) => token === path[at])
  if (isInside) throw inapplicable('a value cannot be moved into itself')
  const value = boundedValue(edit, from, path)
  if (from.length > 0) remove(edit, from)
  add(edit, path, value)
}

function copy(edit: Edit, from: Tokens, path: Tokens): void {
  add(edit, path, clone(boundedValue(edit, from, path)))
}

/** The value at `from`, after a check that putting it at `path` stays within bounds. */
function boundedValue(edit: Edit, from: Tokens, path: Tokens): unknown {
  const value = at(edit, from)
  edit.copiedBytes += (JSON.stringify(value) ?? '').length
  if (edit.copiedBytes > MAX_COPIED_BYTES) throw tooLarge('the JSON patch copies too much')
  // Copying a value into itself again and again would nest without end.
  if (nestsDeeperThan(value, MAX_DEPTH - path.length)) throw inapplicable('it nests too deep')
  return value
}

function test(edit: Edit, path: Tokens, expected: unknown): void {
  if (!deepEqual(at(edit, path), expected)) throw inapplicable(`the test at ${shown(path)} failed`)
}

function at(edit: Edit, path: Tokens): unknown {
  let value = edit.root
  for (const token of path) value = childOf(value, token, path)
  return value
}

function parentOf(edit: Edit, path: Tokens) {
  const parent = at(edit, path.slice(0, -1))
  if (!isObject(parent) && !Array.isArray(parent)) {
    throw inapplicable(`nothing can be inside ${shown(path.slice(0, -1))}`)
  }
  return { parent, last: path.at(-1)! }
}

function childOf(value: unknown, token: string, path: Tokens): unknown {
  if (Array.isArray(value)) return value[indexOf(token, value.length - 1)]
  if (isObject(value) && Object.hasOwn(value, token)) return value[token]
  throw inapplicable(`there is nothing at ${shown(path)}`)
}

function indexOf(token: string, max: number): number {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : -1
  if (index < 0 || index > max) throw inapplicable(`${shown([token])} is not an index of the list`)
  return index
}

const shown = (path: Tokens): string => JSON.stringify(`/${path.join('/')}`.slice(0, 256))

export function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels <= 0) return true
  return Object.values(value).some((member) => nestsDeeperThan(member, levels - 1))
}

function clone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clone)
  if (!isObject(value)) return value
  const copy = {}
  for (const key of Object.keys(value)) setOwn(copy, key, clone(value[key]))
  return copy
}
