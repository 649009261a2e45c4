/** Whatever is sent: never a 500, always a Status, nothing changed, nobody's prototype touched. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Call, LEASES, lease, NODES, node, PODS, pod, type World, world } from './world.ts'

async function inhabited(place = world()): Promise<World> {
  await place.call('POST', NODES, { body: node('a') })
  await place.call('POST', LEASES, { body: lease('a', { holderIdentity: 'a' }) })
  await place.call('POST', PODS, { body: pod('a') })
  return place
}

async function everything({ store }: World): Promise<string> {
  const lists = ['nodes', 'pods', 'events', 'namespaces'].map((one) => store.objects.list(one, {}))
  const leases: unknown[] = []
  for await (const page of store.leases.scan()) leases.push(...page)
  return JSON.stringify([await Promise.all(lists), leases])
}

/** What cannot become text: its own `toString` is no function. */
const hostile = { toString: 1 }

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('a malformed body', () => {
  const bodies: { when: string; call: Call; status: number }[] = [
    { when: 'empty', call: { raw: '' }, status: 400 },
    { when: 'no JSON', call: { raw: '{"metadata":' }, status: 400 },
    { when: 'not UTF-8', call: { raw: new Uint8Array([0x7b, 0xff, 0x7d]) }, status: 400 },
    { when: 'a list', call: { raw: '[]' }, status: 400 },
    { when: 'null', call: { raw: 'null' }, status: 400 },
    { when: 'nested very deep', call: { raw: nested(5_000) }, status: 400 },
    { when: 'metadata of the wrong type', call: { raw: '{"metadata":5}' }, status: 400 },
    { when: 'labels of the wrong type', call: { raw: '{"metadata":{"labels":[]}}' }, status: 400 },
    { when: 'of another kind', call: { body: { ...pod('x'), kind: 'Secret' } }, status: 400 },
    { when: 'of another version', call: { body: { ...node('x'), apiVersion: 'v9' } }, status: 400 },
    { when: 'of an unknown type', call: { body: node('x'), type: 'text/xml' }, status: 415 },
    {
      when: 'protobuf without its magic',
      call: { raw: 'x', type: 'application/vnd.kubernetes.protobuf' },
      status: 400,
    },
    {
      when: 'YAML that refers to itself',
      call: { raw: 'a: &a [*a]', type: 'application/yaml' },
      status: 400,
    },
    { when: 'over 3 MiB', call: { raw: ' '.repeat(3 * 1024 * 1024 + 1) }, status: 413 },
    {
      when: 'said to be over 3 MiB',
      call: { raw: '{}', headers: { 'content-length': '9999999999' } },
      status: 413,
    },
    {
      when: 'said twice, under Strict',
      call: { raw: '{"metadata":{"name":"x","name":"y"}}' },
      status: 400,
    },
  ]
  it.each(bodies)('that is $when gets $status and changes nothing', async ({ call, status }) => {
    const place = await inhabited()
    const before = await everything(place)
    const reply = await place.call('POST', `${NODES}?fieldValidation=Strict`, call)
    expect([reply.status, reply.body.kind], reply.text).toEqual([status, 'Status'])
    expect(await everything(place)).toBe(before)
  })

  it('with keys of a prototype touches no prototype', async () => {
    const place = await inhabited()
    const raw =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},' +
      '"metadata":{"name":"x","labels":{"__proto__":"y"}}}'
    const reply = await place.call('POST', NODES, { raw })
    expect(reply.status).toBe(422)
    const patch = '{"metadata":{"annotations":{"__proto__":"y"}},"__proto__":{"polluted":1}}'
    await place.call('PATCH', `${NODES}/a`, { raw: patch })
    const jsonPatch = '[{"op":"add","path":"/__proto__/polluted","value":1}]'
    await place.call('PATCH', `${NODES}/a`, { raw: jsonPatch, type: 'application/json-patch+json' })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('a report of a host', () => {
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

  it.each([
    { when: 'a container is null', status: { containerStatuses: [null] }, code: 200 },
    {
      when: 'an end has no text for a time',
      status: { containerStatuses: [{ lastState: { terminated: { finishedAt: hostile } } }] },
      code: 400,
    },
    {
      when: 'a reason has no text',
      status: { initContainerStatuses: [{ state: { terminated: { reason: hostile } } }] },
      code: 400,
    },
    {
      when: 'restarts are text',
      status: { containerStatuses: [{ restartCount: '3' }] },
      code: 400,
    },
    { when: 'an address is null', status: { podIPs: [null] }, code: 200 },
    { when: 'a condition is null', status: { conditions: [null] }, code: 200 },
  ])("where $when gets $code and breaks nobody's list", async ({ status, code }) => {
    const place = await inhabited()
    const reply = await place.call('PATCH', `${PODS}/a/status`, { body: { status } })
    expect(reply.status, reply.text).toBe(code)
    expect((await place.call('GET', PODS, { headers: table })).status).toBe(200)
  })

  it("on a pod with a gate of nothing breaks nobody's list", async () => {
    const place = world()
    await place.call('POST', PODS, { body: pod('a', { readinessGates: [null] }) })
    expect((await place.call('GET', PODS, { headers: table })).status).toBe(200)
  })
})

const word = fc.oneof(
  fc.constantFrom('api', 'apis', 'v1', 'nodes', 'pods', 'leases', 'namespaces', 'default', 'a'),
  fc.constantFrom('status', 'eviction', 'binding', 'coordination.k8s.io', 'kube-node-lease', 'log'),
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%00',
    '%2F',
    '%',
    '__proto__',
    '',
    '\\',
    ' ',
    'é',
    '~',
    '*',
  ),
  fc.string({ maxLength: 8 }).map(encodeURIComponent),
)
const strangePath = fc.array(word, { maxLength: 8 }).map((words) => `/${words.join('/')}`)
const knownPath = fc.constantFrom(
  NODES,
  `${NODES}/a`,
  `${NODES}/a/status`,
  LEASES,
  `${LEASES}/a`,
  PODS,
  `${PODS}/a`,
  `${PODS}/a/eviction`,
  `${PODS}/a/binding`,
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  '/api/v1/namespaces/default/events',
  '/api/v1/namespaces/a',
  '/api/v1/namespaces/default/services/a',
  '/apis/storage.k8s.io/v1/csinodes/a',
  '/apis/storage.k8s.io/v1/csidrivers/a',
  '/apis/node.k8s.io/v1/runtimeclasses/a',
  '/api/v1/namespaces/a/status',
  '/api/v1/namespaces/a/finalize',
  '/apis/events.k8s.io/v1/namespaces/default/events',
  '/apis/events.k8s.io/v1/namespaces/default/events/a',
)
const anyPath = fc.oneof({ arbitrary: strangePath, weight: 1 }, { arbitrary: knownPath, weight: 5 })
const parameter = fc.tuple(
  fc.constantFrom(
    ...[
      'labelSelector',
      'fieldSelector',
      'limit',
      'continue',
      'resourceVersion',
      'dryRun',
      'watch',
    ],
    ...['resourceVersionMatch', 'sendInitialEvents', 'fieldValidation', 'fieldManager', 'pretty'],
    ...['includeObject', 'gracePeriodSeconds', 'propagationPolicy', 'force', 'verbose', 'hash'],
  ),
  fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('All', 'true', '0', 'Strict', 'a=b', '5')),
)
const member = fc.constantFrom(
  ...['metadata', 'spec', 'status', 'name', 'labels', 'kind', 'apiVersion', 'taints', 'conditions'],
  ...['target', 'deleteOptions', 'preconditions', 'uid', 'resourceVersion', '$patch', '__proto__'],
  ...['op', 'path', 'value', 'renewTime', 'holderIdentity', 'leaseDurationSeconds', 'finalizers'],
  ...[
    'toString',
    'valueOf',
    'length',
    'toJSON',
    'containers',
    'podIPs',
    'hostNetwork',
    'expirationSeconds',
  ],
  ...[
    'nodeName',
    'restartPolicy',
    'tolerations',
    'nominatedNodeName',
    'managedFields',
    'managedFields',
  ],
)
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.constantFrom(null, true, 0, -1, 1e300, '', 'a', '/metadata'), fc.string()),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(member, tie('value'), { maxKeys: 4 }),
  ),
}))
/** Nearly right: the name fits, so that it gets past the first checks. */
const nearlyRight = fc.record({
  metadata: fc.dictionary(member, anyValue, { maxKeys: 2 }).map((rest) => ({ ...rest, name: 'a' })),
  spec: fc.option(anyValue, { nil: undefined }),
  status: fc.option(anyValue, { nil: undefined }),
})
const anyBody = fc.oneof(
  nearlyRight.map((value) => Buffer.from(JSON.stringify(value))),
  fc.constant(Buffer.alloc(0)),
  anyValue.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
  fc.string().map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from([0x6b, 0x38, 0x73, 0, ...bytes])),
)
const anyType = fc.constantFrom(
  undefined,
  ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/plain'],
  ...['application/json-patch+json', 'application/merge-patch+json', ''],
  ...['application/strategic-merge-patch+json', 'application/apply-patch+yaml'],
)
const anyHeader = fc.dictionary(
  fc.constantFrom('accept', 'accept-encoding', 'if-none-match', 'content-length', 'user-agent'),
  fc.oneof(
    fc.stringMatching(/^[ -~]{0,20}$/),
    fc.constantFrom('gzip', 'application/json;as=Table;v=v1;g=meta.k8s.io'),
  ),
  { maxKeys: 1 },
)

it('nothing that can be sent is a 500, and what is refused changes nothing', async () => {
  const place = await inhabited()
  // Reading namespaces writes down the built-in ones, once.
  await place.call('GET', '/api/v1/namespaces')
  let before = await everything(place)
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'OPTIONS'),
    path: anyPath,
    query: fc.array(parameter, { maxLength: 2 }),
    body: anyBody,
    type: anyType,
    headers: fc.option(anyHeader, { freq: 3, nil: {} }),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, body, type, headers }) => {
      const takesBody = method !== 'GET'
      const url = `${path}?${new URLSearchParams(query)}`
      const call = takesBody ? { raw: new Uint8Array(body), type, headers } : { headers }
      const reply = await place.call(method, url, call)
      expect(reply.status, `${reply.text} ${JSON.stringify(place.log.at(-1))}`).not.toBe(500)
      if (reply.status >= 400) expect(await everything(place)).toBe(before)
      else before = await everything(await inhabited(place))
    }),
    { numRuns: 1_500 },
  )
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

it('whatever a node sends, it never becomes another', async () => {
  const place = await inhabited()
  const before = await place.call('GET', `${NODES}/a`)
  await fc.assert(
    fc.asyncProperty(anyValue, fc.constantFrom('PUT', 'PATCH'), async (body, method) => {
      const reply = await place.call(method, `${NODES}/a`, { as: 'node-b', body })
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.status).toBeLessThan(500)
    }),
    { numRuns: 100 },
  )
  expect((await place.call('GET', `${NODES}/a`)).body).toEqual(before.body)
})
