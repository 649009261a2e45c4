/**
 * `npm run test:clients [-- NAME...]`: clients that others wrote, run against local mode. Not part
 * of `npm test`, because they have to be fetched and built first, which takes minutes. What this
 * machine cannot build is named and left out; what runs must pass.
 */
import type { Outcome } from './counts.ts'
import { suites } from './suites.ts'

const asked = process.argv.slice(2)
const chosen = suites.filter(({ name }) => asked.length === 0 || asked.includes(name))
if (chosen.length === 0) {
  console.error(`clients: there are only ${suites.map(({ name }) => name).join(', ')}`)
  process.exitCode = 2
}

const summary: string[] = []
for (const { name, run } of chosen) {
  console.log(`== ${name}`)
  const startedMs = performance.now()
  const outcome = await run()
  summary.push(`clients: ${name} ${told(outcome, performance.now() - startedMs)}`)
  if (outcome.kind === 'ran' && outcome.failed > 0) process.exitCode = 1
}
console.log(summary.join('\n'))

function told(outcome: Outcome, tookMs: number): string {
  if (outcome.kind === 'skipped') return `not run: ${outcome.why}`
  const { passed, failed } = outcome
  return `${passed} passed, ${failed} failed in ${Math.round(tookMs / 1_000)} s`
}
