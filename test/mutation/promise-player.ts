/**
 * A process that runs the tests of one promise, spoiled or not, and ends with 0 when they pass:
 * `promise-player.ts PROMISE [whole]`.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { inspect } from 'node:util'
import { loadChanged, loadThroughRecorder } from './loading.ts'
import { everyPromise } from './vector-promises.ts'

const [, , words, whole] = process.argv
const found = everyPromise.find(({ promise }) => promise === words)
if (!found) throw new Error(`no promise is called "${words}"`)
const { file, line, spoiled, caughtBy, named = '', breaks = '' } = found
if (!whole) {
  loadChanged((loaded) => {
    if (loaded !== file) return undefined
    return stripTypeScriptTypes(readFileSync(file, 'utf8').replace(line, () => spoiled))
  })
}
loadThroughRecorder()
await import('../fuzz-seed.ts')
const { loadTests } = await import('./measure-coverage.ts')
const { runTests } = await import('./recorder.ts')

const tests = (await loadTests(caughtBy)).filter(({ name }) => name.includes(named))
if (tests.length === 0) throw new Error(`${caughtBy} has no test with "${named}" in its name`)
let failed: string | undefined
let isBroken = false
await runTests(tests, {
  starts() {},
  ended(test, error) {
    if (error === undefined) return true
    failed = test.name
    // Deep enough for what the simulation found.
    isBroken = inspect(error, { depth: 6 }).includes(breaks)
    return false
  },
})
if (failed !== undefined) process.stdout.write(`\n${failed}`)
if (failed !== undefined && !isBroken) console.error(`${failed} fails, but not with "${breaks}"`)
process.exit(failed === undefined ? 0 : isBroken ? 3 : 4)
