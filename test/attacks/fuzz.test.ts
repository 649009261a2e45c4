/**
 * Identity x verb x resource x hostile body, drawn: 2,000 requests here, 100,000 with `npm run fuzz`.
 */
import { describe, expect, it } from 'vitest'
import type { FetchHandler } from '../../functions/api/entry.ts'
import type { Store } from '../../shared/store/ports.ts'
import { play } from './fuzz/play.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 1)

it(`2,000 requests with the seed ${SEED} do no harm`, { timeout: 120_000 }, async () => {
  const { requests, byStatus, findings } = await play({ seed: SEED, requests: 2_000 })
  expect(findings).toEqual([])
  expect(requests).toBe(2_000)
  // Drawn so that a good part is served and all of these are met.
  for (const status of [200, 201, 400, 401, 403, 404, 405, 409, 422]) {
    expect(byStatus.get(status) ?? 0, String(status)).toBeGreaterThan(0)
  }
  expect(byStatus.get(200)).toBeGreaterThan(100)
})

describe('a planted fault is found', () => {
  const answering =
    (change: (response: Response, request: Request, store: Store) => Promise<Response>) =>
    (api: FetchHandler, store: Store): FetchHandler => ({
      fetch: async (request) => await change(await api.fetch(request), request, store),
    })
  const on = (status: number, act: (response: Response, store: Store) => Promise<Response>) =>
    answering(async (response, _request, store) =>
      response.status === status ? await act(response, store) : response,
    )

  it.each([
    {
      fault: 'a 500 where a conflict was',
      wrap: on(409, async () => new Response('{}', { status: 500 })),
      what: /^500/,
    },
    {
      fault: 'an answer of megabytes',
      wrap: on(422, async () => new Response('x'.repeat(1024 * 1024 + 1), { status: 422 })),
      what: /^answerBytes/,
    },
    {
      fault: 'a refusal that leaves something behind',
      wrap: on(403, async (response, store) => {
        await store.commit([{ do: 'putRecord', name: `left/${Math.random()}`, value: {} }])
        return response
      }),
      what: /^403 Forbidden, but putRecord left/,
    },
    {
      fault: 'a read for every label',
      wrap: on(200, async (response, store) => {
        for (let at = 0; at < 20; at++) await store.records.get('x')
        return response
      }),
      what: /^storeCalls/,
    },
    {
      fault: 'an error for every label',
      wrap: on(422, async () => {
        const causes = Array.from({ length: 101 }, () => ({}))
        return new Response(`{"kind":"Status","details":${JSON.stringify({ causes })}}`)
      }),
      what: /^errorsListed/,
    },
  ])('$fault', async ({ wrap, what }) => {
    const { findings } = await play({ seed: 1, requests: 200, wrap })
    expect(findings.map((finding) => finding.what)).toContainEqual(expect.stringMatching(what))
  })
})
