/**
 * Runs in a Node of its own: loads a built bundle as Lambda would and plays the events it is sent
 * through it. The bundle sees the environment it is given and nothing of the project.
 */
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'

interface Head {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
}

type Handler = (event: unknown, context: unknown) => Promise<unknown>

/** What Lambda's runtime brings for answers that stream; here they are handed over as a whole. */
const awslambda = {
  streamifyResponse: (handle: (event: unknown, stream: Writable) => Promise<void>): Handler => {
    return async (event) => {
      let head: Head | undefined
      let body = ''
      const stream = new Writable({
        write(chunk, _encoding, done) {
          body += chunk
          done()
        },
      })
      const withHead = Object.assign(stream, {
        setHead: (given: Head) => {
          head = given
        },
      })
      await handle(event, withHead)
      return { ...head, body }
    }
  },
  HttpResponseStream: {
    from(stream: Writable & { setHead(head: Head): void }, head: Head) {
      stream.setHead(head)
      return stream
    },
  },
}

Object.assign(globalThis, { awslambda })
const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  readonly handler: Handler
}
const context = { getRemainingTimeInMillis: () => 30_000 }

process.on('message', async (event) => {
  try {
    process.send?.({ answer: await handler(event, context) })
  } catch (error) {
    process.send?.({ error: String(error) })
  }
})
process.send?.('ready')
