/** Which objects does a list or a watch mean? Label and field selectors, as they stand in a URL. */

import { labelValue, type NameRule, qualifiedName } from './meta/names.ts'
import { badRequest } from './status-error.ts'

/** More than a URL can usefully hold; bounds the work of parsing and of every match. */
const MAX_LENGTH = 16_384

type Labels = Readonly<Record<string, string>>
type LabelMatcher = (labels: Labels | undefined) => boolean

const OPERATION = /^([^\s!=<>(),]+)\s*(==|!=|=|<|>)\s*([^\s!=<>(),]*)$/
const MEMBERSHIP = /^([^\s!=<>(),]+)\s+(in|notin)\s*\(([^()]*)\)$/
const EXISTENCE = /^(!?)\s*([^\s!=<>(),]+)$/

/** Everything matches an empty selector. */
export function parseLabelSelector(text: string): LabelMatcher {
  checkLength(text)
  if (text.trim() === '') return () => true
  const matchers = splitOutsideBrackets(text).map((term) => parseRequirement(term.trim()))
  return (labels = {}) => matchers.every((matches) => matches(labels))
}

function checkLength(text: string): void {
  if (text.length > MAX_LENGTH) {
    throw badRequest(`a selector may have at most ${MAX_LENGTH} characters`)
  }
}

function splitOutsideBrackets(text: string): string[] {
  const terms: string[] = []
  let [start, depth] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
    else if (text[at] === ',' && depth === 0) {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...terms, text.slice(start)]
}

function parseRequirement(term: string): LabelMatcher {
  const membership = MEMBERSHIP.exec(term)
  if (membership) return parseMembership(membership)
  const operation = OPERATION.exec(term)
  if (operation) return parseOperation(operation)
  const existence = EXISTENCE.exec(term)
  if (!existence) throw unparsable(`found ${shown(term)}, expected a requirement such as a=b`)
  const key = checkKey(existence[2]!)
  const isWanted = existence[1] === ''
  return (labels = {}) => Object.hasOwn(labels, key) === isWanted
}

function parseMembership([, name, operator, list]: readonly string[]): LabelMatcher {
  const key = checkKey(name!)
  if (list!.trim() === '') throw unparsable(`the values of ${shown(name!)} are empty`)
  const values = new Set(list!.split(',').map((value) => checkValue(value.trim())))
  const isWanted = operator === 'in'
  // An object without the label is not in the set, so `notin` takes it.
  return (labels = {}) => isWanted === (Object.hasOwn(labels, key) && values.has(labels[key]!))
}

function parseOperation([, name, operator, text]: readonly string[]): LabelMatcher {
  const key = checkKey(name!)
  if (operator === '<' || operator === '>') return parseComparison(key, operator, text!)
  const value = checkValue(text!)
  const isWanted = operator !== '!='
  return (labels = {}) => isWanted === (Object.hasOwn(labels, key) && labels[key] === value)
}

const INTEGER = /^[+-]?\d{1,18}$/

function parseComparison(key: string, operator: '<' | '>', text: string): LabelMatcher {
  if (!INTEGER.test(text)) {
    throw unparsable(`${shown(text)} is not a number, as ${shown(operator)} needs`)
  }
  const bound = BigInt(text.replace('+', ''))
  return (labels = {}) => {
    const label = Object.hasOwn(labels, key) ? labels[key]! : ''
    if (!INTEGER.test(label)) return false
    const value = BigInt(label.replace('+', ''))
    return operator === '<' ? value < bound : value > bound
  }
}

const checkKey = (key: string): string => checked(key, qualifiedName)
const checkValue = (value: string): string => checked(value, labelValue)

function checked(text: string, rule: NameRule): string {
  const problems = rule(text)
  if (problems.length === 0) return text
  throw unparsable(`Invalid value: ${shown(text)}: ${problems.join('; ')}`)
}

const unparsable = (why: string) => badRequest(`unable to parse requirement: ${why}`)
const shown = (text: string): string => JSON.stringify(text.slice(0, 256))

interface FieldSelector {
  /** Takes the selectable values of an object; an absent one counts as empty. */
  matches(fields: Labels): boolean
  /** What must be equal: all an authoriser or a lookup by key needs to know. */
  readonly exact: Labels
}

export function parseFieldSelector(
  text: string,
  supported: readonly string[],
  /** Where a field is called something else in what is matched. */
  names: Labels = {},
): FieldSelector {
  checkLength(text)
  const terms = splitUnescaped(text)
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, supported))
    .map((term) => ({ ...term, field: names[term.field] ?? term.field }))
  return {
    matches: (fields) =>
      terms.every(({ field, isWanted, value }) => {
        const actual = Object.hasOwn(fields, field) ? fields[field] : ''
        return (actual === value) === isWanted
      }),
    exact: Object.fromEntries(
      terms.filter(({ isWanted }) => isWanted).map(({ field, value }) => [field, value]),
    ),
  }
}

interface FieldTerm {
  readonly field: string
  readonly isWanted: boolean
  readonly value: string
}

/** At commas, except those a backslash keeps inside a value. */
const splitUnescaped = (text: string): string[] => text.match(/(?:\\.|[^\\,])+|\\$/gs) ?? []

function parseTerm(term: string, supported: readonly string[]): FieldTerm {
  const match = /^((?:\\.|[^\\=!])*)(==|!=|=)(.*)$/s.exec(term)
  if (!match) throw badRequest(`invalid selector: ${shown(term)}; can't understand ${shown(term)}`)
  const [, field, operator, value] = match
  if (!supported.includes(field!)) throw badRequest(unsupported(clip(field!), supported))
  return { field: field!, isWanted: operator !== '!=', value: unescaped(value!) }
}

/** Kubernetes has two sentences: kinds that can be found only by name have the second. */
function unsupported(field: string, supported: readonly string[]): string {
  if (supported.some((one) => !one.startsWith('metadata.')) || supported.length < 2) {
    return `field label not supported: ${field}`
  }
  const known = supported.map((one) => JSON.stringify(one)).join(', ')
  return `${JSON.stringify(field)} is not a known field selector: only ${known}`
}

const clip = (text: string): string => text.slice(0, 256)

/** Only the three characters that mean something may be escaped, and the two left must be. */
function unescaped(value: string): string {
  if (!/^(?:\\[\\,=]|[^\\,=])*$/.test(value)) {
    throw badRequest(`invalid field selector: invalid escape sequence in ${shown(value)}`)
  }
  return value.replaceAll(/\\(.)/g, '$1')
}
