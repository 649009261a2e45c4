/**
 * What MiniStack takes for `node`: it starts one of these for each concurrent run of a function and
 * hands it lines of JSON, first what the function is, then one event after the other. Each event
 * goes on to our own host of functions, where it is served by AWS's runtime client.
 */
import { createInterface } from 'node:readline'

interface Line {
  readonly function_name?: string
  readonly event?: unknown
}

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
let name: string | undefined

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text) as Line
  if (name === undefined) {
    name = line.function_name ?? ''
    say({ status: 'ready' })
  } else {
    say(await answerTo(name, line.event))
  }
}

async function answerTo(name: string, event: unknown): Promise<object> {
  try {
    const url = `${process.env.LEASEHOLD_INVOKE_URL}/${name}`
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(event) })
    const said = await response.text()
    if (!response.ok) return { status: 'error', error: said }
    const result = JSON.parse(said) as { readonly batchItemFailures?: readonly unknown[] } | null
    // MiniStack would take such a batch for done; as an error it is offered again.
    if (result?.batchItemFailures?.length) return { status: 'error', error: said }
    return { status: 'ok', result }
  } catch (error) {
    return { status: 'error', error: String(error) }
  }
}
