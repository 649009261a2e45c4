/**
 * `npm run model-check [-- --states 200000] [--zones 3,3]`: tries everything, prints how much that
 * was.
 */
import { parseArgs } from 'node:util'
import { checkModel } from './model-check.ts'

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '200000' },
    zones: { type: 'string', default: '3,3' },
  },
})
const startedAtMs = performance.now()
let toldAtMs = 0
const seconds = () => ((performance.now() - startedAtMs) / 1_000).toFixed(0)
const found = await checkModel({
  sizes: values.zones.split(',').map(Number),
  maxStates: Number(values.states),
  onProgress: (states, ways) => {
    if (performance.now() - toldAtMs < 5_000) return
    toldAtMs = performance.now()
    console.log(`${states} states, ${ways} ways between them, ${seconds()} s`)
  },
})
console.log(`${found.states} distinct states, ${found.ways} ways tried, ${seconds()} s`)
if (found.broken) {
  console.log(`${found.broken.why}\n  ${found.broken.story.join('\n  ')}`)
  process.exitCode = 1
}
