/**
 * Preloaded into a function's process: what the runtime client's compiled `rapid-client.node` does,
 * with Node's own HTTP client.
 */
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'

const [hostname, port] = (process.env.AWS_LAMBDA_RUNTIME_API ?? '').split(':')

async function call(method: string, path: string, body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly bodyJson: string
    readonly headers: object
  }>()
  const options = { hostname, port, method, path: `/2018-06-01/runtime/invocation/${path}` }
  request(options, async (response) => {
    resolve({ bodyJson: await text(response), headers: response.headers })
  })
    .on('error', reject)
    .end(body)
  return await promise
}

/** The compiled client blocks until an answer is delivered: nothing is asked for before that. */
let delivered: Promise<unknown> = Promise.resolve()
const deliver = (id: string, how: string, body: string) => {
  delivered = call('POST', `${id}/${how}`, body)
}

const client = {
  done: (id: string, body: string) => deliver(id, 'response', body),
  error: (id: string, body: string) => deliver(id, 'error', body),
  next: async () => {
    await delivered
    return await call('GET', 'next')
  },
}

createRequire(import.meta.url).extensions['.node'] = (module) => {
  module.exports = client
}
