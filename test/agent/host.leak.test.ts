import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { systemClock } from '../../agent/clock.ts'
import { httpTransport } from '../../agent/http.ts'
import { simulatedState, startSimulatedHost } from '../../agent/simulated-host.ts'
import { eventually } from '../eventually.ts'
import { BOOTSTRAP, type SmallServer, smallServer } from './small-server.ts'

/** So much faster than in earnest that an hour of beats takes two seconds. */
const SPEED = 5_000
const clock = {
  ...systemClock,
  wait: (waitMs: number, signal?: AbortSignal) => systemClock.wait(waitMs / SPEED, signal),
}

/** What keeps this process busy: sockets and timers; a leak of either shows here. */
const held = () =>
  process.getActiveResourcesInfo().filter((kind) => /TCPSocketWrap|Timeout/.test(kind)).length

const beats = (server: SmallServer) => server.count('PUT', /leases/)

/** Every kind of trouble in turn, about one request in four. */
const TROUBLES = [{ code: 500 }, { code: 429, headers: { 'retry-after': '1' } }, { code: 409 }]
function troubled(server: SmallServer): void {
  let nth = 0
  server.fault = () => {
    nth++
    return nth % 4 === 0 ? TROUBLES[(nth / 4) % TROUBLES.length] : undefined
  }
}

it('holds no more timers and sockets after four hundred troubled beats than after fifty', async ({
  onTestFinished,
}) => {
  const warnings: string[] = []
  const note = (warning: Error) => warnings.push(warning.name)
  process.on('warning', note)
  const before = held()
  const server = await smallServer()
  const transport = httpTransport({ server: server.url, timeoutMs: 2_000 })
  const host = startSimulatedHost({
    name: 'a',
    clock,
    join: { transport, bootstrapToken: BOOTSTRAP, state: simulatedState(undefined) },
  })
  onTestFinished(async () => {
    process.off('warning', note)
    await host.stop()
    await server.stop()
  })

  await eventually('it beats', () => beats(server) >= 3)
  troubled(server)
  const seen: number[] = []
  for (const count of [50, 100, 200, 400]) {
    await eventually(`${count} beats`, () => beats(server) >= count)
    seen.push(held())
  }
  // The same few at every look: two kept connections with both their ends here, and the waits.
  expect(Math.max(...seen)).toBeLessThan(before + 25)
  // Listeners that are added to one signal at every beat are told of by Node.
  expect(warnings).toEqual([])

  await host.stop()
  transport.reset()
  await server.stop()
  await eventually('everything is given back', () => held() <= before + 1)
})

it('lets go of a connection that was in use when it was to be fresh', async ({
  onTestFinished,
}) => {
  let answer: (() => void) | undefined
  const server = createServer((_, response) => {
    answer = () => response.end('{}')
  })
  // It would keep what is idle for longer than this test.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const transport = httpTransport({ server: `http://127.0.0.1:${port}` })
  const exchange = transport.exchange({ method: 'GET', path: '/' }, undefined)
  await eventually('it was asked', () => answer !== undefined)
  transport.reset()
  answer?.()
  expect((await exchange).code).toBe(200)
  let open = 1
  await eventually('it is closed', () => {
    server.getConnections((_, count) => {
      open = count
    })
    return open === 0
  })
})
