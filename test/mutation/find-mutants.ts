/**
 * Where can a source be wrong in a way that a test should notice? Statements that can be dropped,
 * conditions that can be forced either way, comparisons, boundaries and arithmetic that can be
 * turned around. Only what still makes sense to a compiler: no renamed texts, no emptied bodies.
 */
import { createHash } from 'node:crypto'
import { childrenOf, isSyntax, type Source, type Syntax } from './syntax.ts'

export interface Mutant {
  /** The same as long as the function, the piece and what becomes of it are the same. */
  readonly id: string
  readonly file: string
  readonly line: number
  /** The nearest function with a name. */
  readonly within: string
  readonly piece: Syntax
  readonly original: string
  /** What stands in its place; undefined when the statement is dropped. */
  readonly mutated: string | undefined
}

interface Change {
  readonly piece: Syntax
  readonly mutated: string | undefined
}

/** What is above a node on the way down from the file. */
interface Place {
  readonly parents: readonly Syntax[]
  readonly within: string
}

export function findMutants(source: Source): readonly Mutant[] {
  const found: Mutant[] = []
  const times = new Map<string, number>()
  visit(source.program, { parents: [], within: '' })
  return found

  function visit(syntax: Syntax, place: Place): void {
    for (const change of changesOf(syntax, place.parents, source.code)) add(change, place)
    const within = nameOf(syntax, source.code) ?? place.within
    const below = { parents: [syntax, ...place.parents], within }
    for (const child of childrenOf(syntax)) visit(child, below)
  }

  function add({ piece, mutated }: Change, { within }: Place): void {
    const original = textOf(piece, source.code)
    const words = [source.file, within, original, mutated ?? ''].map(oneLine).join('\n')
    const time = times.get(words) ?? 0
    times.set(words, time + 1)
    const id = createHash('sha256').update(`${words}\n${time}`).digest('hex').slice(0, 10)
    const line = source.code.slice(0, piece.start).split('\n').length
    found.push({ id, file: source.file, line, within, piece, original, mutated })
  }
}

export const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const textOf = ({ start, end }: Syntax, code: string) => code.slice(start, end)

function nameOf(syntax: Syntax, code: string): string | undefined {
  const { id, key, type } = syntax
  if (type === 'FunctionDeclaration' && isSyntax(id)) return textOf(id, code)
  const isNamed = type === 'VariableDeclarator' && isFunction(syntax.init)
  if (isNamed && isSyntax(id)) return textOf(id, code)
  const isMethod = type === 'Property' && isFunction(syntax.value)
  return isMethod && isSyntax(key) ? textOf(key, code) : undefined
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
const isFunction = (value: unknown) => isSyntax(value) && FUNCTIONS.includes(value.type)

type Changes = (syntax: Syntax, parents: readonly Syntax[], code: string) => readonly Change[]

function changesOf(...[syntax, parents, code]: Parameters<Changes>): readonly Change[] {
  // `a?.b.filter(c)` cannot be cut inside its chain: the rest of it is skipped when `a` is absent.
  if (syntax.type === 'ChainExpression') {
    return (RULES.CallExpression?.(syntax.expression as Syntax, parents, code) ?? []).map(
      (change) => ({ ...change, piece: syntax }),
    )
  }
  const inChain = parents.findIndex(({ type }) => type === 'ChainExpression')
  const spine = new Set(['CallExpression', 'MemberExpression', 'ChainExpression'])
  const isSpine = inChain >= 0 && isOnSpine(syntax, parents.slice(0, inChain + 1), spine)
  return isSpine ? [] : (RULES[syntax.type]?.(syntax, parents, code) ?? [])
}

function isOnSpine(syntax: Syntax, parents: readonly Syntax[], spine: ReadonlySet<string>) {
  let below = syntax
  return parents.every((parent) => {
    const isPart =
      spine.has(parent.type) && !(parent.arguments as Syntax[] | undefined)?.includes(below)
    const isIndex = parent.computed === true && parent.property === below
    below = parent
    return isPart && !isIndex
  })
}

/** The other way is what leaving out one side does, and that is harder to catch. */
const FORCED: Readonly<Record<string, readonly string[]>> = { '&&': ['false'], '||': ['true'] }

/** Forced either way: harder to catch than the negation, which is wrong in both directions. */
const force =
  (member: string): Changes =>
  (syntax) => {
    const piece = syntax[member] as Syntax
    return (
      FORCED[String(piece.operator)]?.map((mutated) => ({ piece, mutated })) ?? [
        { piece, mutated: 'true' },
        { piece, mutated: 'false' },
      ]
    )
  }

const drop: Changes = (syntax, parents) =>
  isAlone(syntax, parents) ? [] : [{ piece: syntax, mutated: undefined }]

/** Leaving early is dropped where something came before it: elsewhere its condition is forced. */
const dropExit: Changes = (syntax, parents, code) => {
  const [block, owner] = parents
  const isBranch = block?.type === 'BlockStatement' && owner?.type === 'IfStatement'
  return isBranch ? drop(syntax, parents, code) : []
}

const LOOPS = ['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement']

/** All that an `if` or a loop contains: then dropping it is the same as never going there. */
function isAlone(syntax: Syntax, [parent, above]: readonly Syntax[]): boolean {
  const isBlock = parent?.type === 'BlockStatement'
  if (isBlock && (parent.body as readonly Syntax[]).length > 1) return false
  const owner = isBlock ? above : parent
  if (owner?.type === 'IfStatement') return !owner.alternate
  return owner !== undefined && LOOPS.includes(owner.type) && syntax !== owner
}

const SWAPPED: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
}

const swapOperator: Changes = (syntax, [parent], code) => {
  const { left, right, operator } = syntax as Syntax & Record<'left' | 'right', Syntax>
  // Constants that are written as a sum or a product, and texts that are put together.
  if (isLiteral(left) && isLiteral(right)) return []
  if (operator === '+' && (isText(left) || isText(right))) return []
  const between = code.slice(left.end, right.start)
  const pieces = (SWAPPED[String(operator)] ?? []).map((other) => ({
    piece: syntax,
    mutated:
      code.slice(syntax.start, left.end) +
      between.replace(String(operator), other) +
      code.slice(right.start, syntax.end),
  }))
  // A condition is forced or left out anyway: only its boundary remains to be moved.
  return isComparison(syntax) && isCondition(syntax, parent) ? pieces.slice(0, -1) : pieces
}

const isComparison = ({ operator }: Syntax) => /[<>=]/.test(String(operator))
const isLiteral = ({ type }: Syntax) => type === 'Literal'
const isText = ({ type, value }: Syntax) => type === 'TemplateLiteral' || typeof value === 'string'
const isCondition = (syntax: Syntax, parent: Syntax | undefined) =>
  parent?.test === syntax || parent?.type === 'LogicalExpression'

const eitherSide: Changes = (syntax, [parent], code) => {
  const [left, right] = [syntax.left as Syntax, syntax.right as Syntax]
  const changes = [left, right].map((side) => ({ piece: syntax, mutated: textOf(side, code) }))
  // Without its default a value may be undefined, and the compiler refuses that by itself.
  if (syntax.operator === '??') return changes.slice(1)
  return isOptionalMember(syntax, parent, code) ? changes.slice(0, 1) : changes
}

/** `...(a && { a })`: a member that is undefined is as good as absent, in JSON and to its readers. */
function isOptionalMember(syntax: Syntax, parent: Syntax | undefined, code: string): boolean {
  const [left, right] = [syntax.left as Syntax, syntax.right as Syntax]
  if (parent?.type !== 'SpreadElement' || right.type !== 'ObjectExpression') return false
  const asked = textOf(left, code).replace(/ !== undefined$/, '')
  return (right.properties as Syntax[]).every(
    ({ value }) => isSyntax(value) && textOf(value, code) === asked,
  )
}

const unary: Changes = (syntax, [parent], code) => {
  const argument = syntax.argument as Syntax
  if (syntax.operator === 'void') return [{ piece: syntax, mutated: 'undefined' }]
  if (syntax.operator !== '!' || isCondition(syntax, parent)) return []
  return [{ piece: syntax, mutated: textOf(argument, code) }]
}

const flip: Changes = (syntax) =>
  typeof syntax.value === 'boolean' ? [{ piece: syntax, mutated: String(!syntax.value) }] : []

/** What can be left out of a chain: its receiver is of the same type. */
const LEFT_OUT = ['filter', 'sort', 'toSorted', 'slice']
const EXCHANGED = new Map([
  ['max', 'min'],
  ['min', 'max'],
  ['some', 'every'],
  ['every', 'some'],
])

const changeCall: Changes = (syntax, _parents, code) => {
  const callee = syntax.callee as Syntax | undefined
  if (callee?.type !== 'MemberExpression' || callee.computed) return []
  const [object, property] = [callee.object as Syntax, callee.property as Syntax]
  const name = textOf(property, code)
  if (LEFT_OUT.includes(name)) return [{ piece: syntax, mutated: textOf(object, code) }]
  const other = EXCHANGED.get(name)
  if (!other || ((name === 'max' || name === 'min') && textOf(object, code) !== 'Math')) return []
  const mutated =
    code.slice(syntax.start, property.start) + other + code.slice(property.end, syntax.end)
  return [{ piece: syntax, mutated }]
}

const RULES: Readonly<Record<string, Changes>> = {
  IfStatement: force('test'),
  ConditionalExpression: force('test'),
  ExpressionStatement: drop,
  ThrowStatement: drop,
  ForStatement: drop,
  ForOfStatement: drop,
  ForInStatement: drop,
  WhileStatement: drop,
  ReturnStatement: dropExit,
  ContinueStatement: dropExit,
  BreakStatement: dropExit,
  LogicalExpression: eitherSide,
  BinaryExpression: swapOperator,
  UnaryExpression: unary,
  Literal: flip,
  CallExpression: changeCall,
}
