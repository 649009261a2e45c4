/** Is this text a legal name? A rule returns what is wrong with it; nothing means it is legal. */

export type NameRule = (text: string) => readonly string[]

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const value = `(${qualified})?`

const MAX_SUBDOMAIN_BYTES = 253
const MAX_LABEL_BYTES = 63
const MAX_SEGMENT_BYTES = 512

const whole = (pattern: string) => new RegExp(`^${pattern}$`)
const labelPattern = whole(label)
const subdomainPattern = whole(subdomain)
const qualifiedPattern = whole(qualified)
const valuePattern = whole(value)

const bytes = new TextEncoder()
/** Kubernetes counts bytes, not characters. */
export const byteLength = (text: string): number => bytes.encode(text).length

const tooManyBytes = (max: number) => `must be no more than ${max} bytes`

function mismatch(rule: string, pattern: string, ...examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(' or ')
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`
}

const edges = 'and must start and end with an alphanumeric character'
const subdomainMismatch = mismatch(
  'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
    `'-' or '.', ${edges}`,
  subdomain,
  'example.com',
)
const labelMismatch = mismatch(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${edges}`,
  label,
  'my-name',
  '123-abc',
)
const qualifiedMismatch = mismatch(
  `must consist of alphanumeric characters, '-', '_' or '.', ${edges}`,
  qualified,
  'MyName',
  'my.name',
  '123-abc',
)
const valueMismatch = mismatch(
  'a valid label must be an empty string or consist of alphanumeric characters, ' +
    `'-', '_' or '.', ${edges}`,
  value,
  'MyValue',
  'my_value',
  '12345',
)

function checkPattern(
  text: string,
  max: number,
  pattern: RegExp,
  problem: string,
): readonly string[] {
  // The pattern never meets a long text: it backtracks, and a body may hold megabytes.
  if (text.length > max) return [tooManyBytes(max)]
  // What matches is ASCII, so its length is its bytes; only a refusal has to count them.
  if (pattern.test(text)) return []
  return [byteLength(text) > max ? tooManyBytes(max) : problem]
}

export const subdomainName: NameRule = (text) =>
  checkPattern(text, MAX_SUBDOMAIN_BYTES, subdomainPattern, subdomainMismatch)

export const labelName: NameRule = (text) =>
  checkPattern(text, MAX_LABEL_BYTES, labelPattern, labelMismatch)

export const labelValue: NameRule = (text) =>
  checkPattern(text, MAX_LABEL_BYTES, valuePattern, valueMismatch)

/**
 * Anything that fits between two slashes of a URL: Event names. Kubernetes sets no limit; ours
 * keeps the key of the table, namespace included, far below DynamoDB's 1024 bytes.
 */
export const pathSegment: NameRule = (text) => {
  if (byteLength(text) > MAX_SEGMENT_BYTES) return [tooManyBytes(MAX_SEGMENT_BYTES)]
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  return ['/', '%'].filter((sign) => text.includes(sign)).map((sign) => `may not contain '${sign}'`)
}

/**
 * The part before a generated suffix may end in a dash, since more letters follow. Kubernetes
 * ignores the letter before the dash too; the generated name is validated as a whole anyway.
 */
export const asPrefix =
  (rule: NameRule): NameRule =>
  (text) =>
    rule(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text)

/** `name` or `prefix/name`, as label, annotation, taint and finalizer keys are. */
export const qualifiedName: NameRule = (text) => {
  const parts = text.split('/')
  if (parts.length > 2) {
    return [
      `a qualified name ${qualifiedMismatch} with an optional DNS subdomain prefix and '/' ` +
        "(e.g. 'example.com/MyName')",
    ]
  }
  const [prefix, name] = parts.length === 2 ? parts : [undefined, text]
  return [...prefixProblems(prefix), ...namePartProblems(name ?? '')]
}

function prefixProblems(prefix: string | undefined): readonly string[] {
  if (prefix === undefined) return []
  if (prefix === '') return ['prefix part must be non-empty']
  return subdomainName(prefix).map((problem) => `prefix part ${problem}`)
}

function namePartProblems(name: string): readonly string[] {
  const empty = name === '' ? ['name part must be non-empty'] : []
  const rest = checkPattern(name, MAX_LABEL_BYTES, qualifiedPattern, qualifiedMismatch)
  return [...empty, ...rest.map((problem) => `name part ${problem}`)]
}
