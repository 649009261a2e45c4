/**
 * Stands in for vitest while mutants are played: it keeps what a test file declares, so that one
 * loaded file can be run again and again, and of it only the tests that matter.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { format } from 'node:util'
import { chai } from 'vitest'

export { expect, vi } from 'vitest'

/** Vitest's own needs to know the test that it is in; here nothing is ever written. */
chai.use(({ Assertion, AssertionError }, utils) => {
  Assertion.addMethod('toMatchFileSnapshot', function (this: object, path: string) {
    const file = join(dirname(running?.file ?? ''), path)
    const isSame = utils.flag(this, 'object') === readFileSync(file, 'utf8')
    if (!isSame) throw new AssertionError(`it is not what ${file} says`)
  })
})
let running: RecordedTest | undefined

// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return how to undo it, or nothing
type Hook = () => unknown | void
type Body = (...row: readonly unknown[]) => unknown

export interface Suite {
  readonly parent: Suite | undefined
  readonly name: string
  readonly hooks: Readonly<Record<HookName, Hook[]>>
  readonly declare: () => unknown
  readonly members: (Suite | RecordedTest)[]
}

type HookName = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll'

export interface RecordedTest {
  readonly file: string
  readonly suite: Suite
  /** With the names of the suites around it. */
  readonly name: string
  readonly run: () => unknown
}

function newSuite(name: string, declare: () => unknown, parent?: Suite): Suite {
  const hooks = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] }
  return { parent, name, hooks, declare, members: [] }
}

let current = newSuite('', () => {})
let loading = ''

/** Loads a test file and returns its tests in the order in which it declares them. */
export async function recordTests(
  file: string,
  load: () => Promise<unknown>,
): Promise<readonly RecordedTest[]> {
  loading = file
  return await testsOf(newSuite('', load))
}

/** A suite declares its members only when what is around it is complete, as in vitest. */
async function testsOf(suite: Suite): Promise<readonly RecordedTest[]> {
  current = suite
  await suite.declare()
  const tests: RecordedTest[] = []
  for (const member of suite.members) {
    if ('run' in member) tests.push(member)
    else tests.push(...(await testsOf(member)))
  }
  return tests
}

/** The last argument is the body; options may stand before it. */
const bodyOf = (given: readonly unknown[]) =>
  given.findLast((one) => typeof one === 'function') as Body

function declareTest(name: string, ...given: readonly unknown[]): void {
  const body = bodyOf(given)
  const names = [...suitesAround(current).map((suite) => suite.name), name].filter(Boolean)
  const whole = names.join(' > ')
  current.members.push({ file: loading, suite: current, name: whole, run: () => body({}) })
}

function declareSuite(name: string, ...given: readonly unknown[]): void {
  current.members.push(newSuite(name, bodyOf(given), current))
}

type Declare = (name: string, ...given: readonly unknown[]) => void

const each = (declare: Declare) => (table: readonly unknown[]) => {
  return (name: string, ...given: readonly unknown[]) => {
    for (const row of table) {
      const cells = Array.isArray(row) ? row : [row]
      declare(titleOf(name, row, cells), () => bodyOf(given)(...cells))
    }
  }
}

/** `$when` is a member of the row, `%s` its next cell. */
function titleOf(name: string, row: unknown, cells: readonly unknown[]): string {
  const filled = name.replaceAll(/\$([\w.]+)/g, (word, path: string) => {
    const found = path.split('.').reduce<unknown>((value, key) => Object(value)[key], row)
    return found === undefined ? word : typeof found === 'string' ? found : JSON.stringify(found)
  })
  const places = filled.match(/%[sdifjo]/g)?.length ?? 0
  return format(filled, ...cells.slice(0, places))
}

/** Tests that may run side by side run one after another here, or they would share a mutant. */
const chained = (declare: Declare) =>
  Object.assign((name: string, ...given: readonly unknown[]) => declare(name, ...given), {
    each: each(declare),
  })
const withChains = (declare: Declare) =>
  Object.assign(chained(declare), { concurrent: chained(declare) })

export const it = withChains(declareTest)
export const describe = withChains(declareSuite)

const hook = (name: HookName) => (body: Hook) => void current.hooks[name].push(body)
export const beforeAll = hook('beforeAll')
export const beforeEach = hook('beforeEach')
export const afterEach = hook('afterEach')
export const afterAll = hook('afterAll')

/** From the file down to the suite. */
export function suitesAround(suite: Suite): readonly Suite[] {
  return suite.parent ? [...suitesAround(suite.parent), suite] : [suite]
}

export interface Watcher {
  /** Before the set-up of its suites, if it is the first of them. */
  starts(test: RecordedTest): void
  /** What ran since then serves every test of the suite. */
  isSetUp?(suite: Suite): void
  /** Answers whether to go on. */
  ended(test: RecordedTest, error: unknown): boolean | Promise<boolean>
}

/** Runs the tests, which are of one file, with the hooks of their suites. */
export async function runTests(tests: readonly RecordedTest[], watcher: Watcher): Promise<void> {
  let open: readonly Suite[] = []
  const undo = new Map<Suite, unknown[]>()
  const close = async (suite: Suite) => {
    for (const after of suite.hooks.afterAll.toReversed()) await after()
    await runUndo(undo.get(suite) ?? [])
  }
  for (const test of tests) {
    watcher.starts(test)
    running = test
    let failure: unknown
    try {
      const around = suitesAround(test.suite)
      for (const suite of open.toReversed()) if (!around.includes(suite)) await close(suite)
      for (const suite of around) {
        if (open.includes(suite)) continue
        undo.set(suite, await runHooks(suite.hooks.beforeAll))
        watcher.isSetUp?.(suite)
      }
      open = around
      await runTest(test, around)
    } catch (error) {
      failure = error ?? new Error('an empty failure')
    }
    if (!(await watcher.ended(test, failure))) break
  }
  for (const suite of open.toReversed()) await close(suite)
}

async function runTest(test: RecordedTest, around: readonly Suite[]): Promise<void> {
  const undo: unknown[] = []
  try {
    for (const { hooks } of around) undo.push(...(await runHooks(hooks.beforeEach)))
    await test.run()
  } finally {
    for (const { hooks } of around.toReversed()) await runHooks(hooks.afterEach.toReversed())
    await runUndo(undo)
  }
}

async function runHooks(hooks: readonly Hook[]): Promise<unknown[]> {
  const undo: unknown[] = []
  for (const one of hooks) undo.push(await one())
  return undo
}

async function runUndo(undo: readonly unknown[]): Promise<void> {
  for (const one of undo.toReversed()) if (typeof one === 'function') await one()
}
