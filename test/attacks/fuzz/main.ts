/**
 * `node test/attacks/fuzz/main.ts --requests 100000 --seed 7 [--world 12]`: plays drawn requests and
 * prints what they met. A finding names its world, which can be played alone.
 */
import { parseArgs } from 'node:util'
import { LIMITS, play } from './play.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    world: { type: 'string' },
  },
})
const seed = Number(values.seed)
console.log(`seed ${seed}, ${values.requests} requests`)
const startedAtMs = performance.now()
const { requests, byStatus, most, findings } = await play({
  seed,
  requests: Number(values.requests),
  ...(values.world !== undefined && { world: Number(values.world) }),
})
const seconds = Math.round((performance.now() - startedAtMs) / 1_000)
const statuses = [...byStatus].toSorted(([a], [b]) => a - b).map((one) => one.join(': '))
console.log(`${requests} requests in ${seconds} s; ${statuses.join(', ')}`)
for (const [name, limit] of Object.entries(LIMITS)) {
  console.log(`  ${name}: at most ${most[name as keyof typeof LIMITS]} of ${limit}`)
}
for (const { world, request, what, asked } of findings) {
  console.error(`world ${world}, request ${request}: ${what}\n  ${asked}`)
  console.error(`  again: node test/attacks/fuzz/main.ts --seed ${seed} --world ${world}`)
}
process.exit(findings.length === 0 ? 0 : 1)
