import { describe, expect, it } from 'vitest'
import { pod, world } from '../world.ts'

const PATH = '/api/v1/namespaces'
const TEAM = `${PATH}/team`

async function withTeam(metadata: object = {}) {
  const place = world()
  const made = await place.call('POST', PATH, { body: { metadata: { name: 'team', ...metadata } } })
  expect(made.status).toBe(201)
  return { place, namespace: made.body }
}

describe('the deletion of a namespace', () => {
  it.each(['default', 'kube-system', 'kube-public', 'kube-node-lease'])(
    'is refused for %s',
    async (name) => {
      const { status, body } = await world().call('DELETE', `${PATH}/${name}`)
      expect(status).toBe(403)
      expect(body.message).toContain('this namespace may not be deleted')
    },
  )

  it('is for one namespace: another uid is another namespace', async () => {
    const { place } = await withTeam()
    const body = { preconditions: { uid: 'x' } }
    expect((await place.call('DELETE', TEAM, { body })).status).toBe(409)
    expect((await place.call('DELETE', `${TEAM}?dryRun=All`)).body.status.phase).toBe('Terminating')
    expect((await place.call('GET', TEAM)).body.status.phase).toBe('Active')
  })

  it('waits for the finalizers in its metadata too', async () => {
    const { place } = await withTeam({ finalizers: ['example.com/hold'] })
    const { body } = await place.call('DELETE', TEAM)
    const emptied = { ...body, spec: { finalizers: [] } }
    expect((await place.call('PUT', `${TEAM}/finalize`, { body: emptied })).status).toBe(200)
    expect((await place.call('GET', TEAM)).status).toBe(200)
    const freed = { body: { metadata: { finalizers: null } } }
    expect((await place.call('PATCH', TEAM, freed)).status).toBe(200)
    expect((await place.call('GET', TEAM)).status).toBe(404)
  })
})

describe('the subresources of a namespace', () => {
  it('status takes conditions, and no phase that is not so', async () => {
    const { place, namespace } = await withTeam()
    const condition = { type: 'StatusPatch', status: 'True', reason: 'E2E', message: 'm' }
    const patched = await place.call('PATCH', `${TEAM}/status`, {
      body: {
        metadata: { annotations: { a: 'b' } },
        spec: { finalizers: ['example.com/x'] },
        status: { conditions: [condition] },
      },
    })
    expect(patched.status).toBe(200)
    expect(patched.body.status).toEqual({ phase: 'Active', conditions: [condition] })
    expect(patched.body.metadata.annotations).toEqual({ a: 'b' })
    expect(patched.body.spec).toEqual(namespace.spec)
    expect((await place.call('GET', `${TEAM}/status`)).body).toEqual(patched.body)
    const wrong = await place.call('PATCH', `${TEAM}/status`, {
      body: { status: { phase: 'Terminating' } },
    })
    expect([wrong.status, wrong.body.details.causes[0].field]).toEqual([422, 'status.Phase'])
  })

  it('finalize changes finalizers and nothing of the status', async () => {
    const { place, namespace } = await withTeam()
    const more = {
      ...namespace,
      spec: { finalizers: ['kubernetes', 'example.com/x'] },
      status: { phase: 'Terminating' },
    }
    const { status, body } = await place.call('PUT', `${TEAM}/finalize`, { body: more })
    expect(status).toBe(200)
    expect(body.spec.finalizers).toEqual(['kubernetes', 'example.com/x'])
    expect(body.status).toEqual({ phase: 'Active' })
    const bad = { ...namespace, metadata: { name: 'team' }, spec: { finalizers: ['mine'] } }
    expect((await place.call('PUT', `${TEAM}/finalize`, { body: bad })).status).toBe(422)
    expect((await place.call('GET', `${TEAM}/finalize`)).status).toBe(405)
    expect((await place.call('PATCH', `${TEAM}/finalize`, { body: {} })).status).toBe(405)
    const main = await place.call('PUT', TEAM, { body: { ...body, spec: { finalizers: [] } } })
    expect(main.body.spec.finalizers).toEqual(['kubernetes', 'example.com/x'])
  })

  it('that is going takes nothing new', async () => {
    const { place } = await withTeam()
    await place.call('DELETE', TEAM)
    const reply = await place.call('POST', `${TEAM}/pods`, { body: pod('p') })
    expect([reply.status, reply.body.reason]).toEqual([403, 'Forbidden'])
    expect(reply.body.message).toContain('because it is being terminated')
    expect(reply.body.details.causes).toMatchObject([{ reason: 'NamespaceTerminating' }])
  })
})
