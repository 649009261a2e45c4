/** What kubectl does with open watches: it prints as things happen, and waits for them. */
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type InProcessSystem, startInProcess } from '../local-system/in-process.ts'
import { oldestAndNewest } from './kubectl/binaries.ts'
import { type Shell, shellFor } from './kubectl/shell.ts'
import { normalised } from './kubectl/transcript.ts'

const kubectls = await oldestAndNewest()
const NODES = '/api/v1/nodes'
const MERGE = 'application/merge-patch+json'

it('has a kubectl to run', ({ skip }) => {
  skip(kubectls.length === 0, 'no kubectl here: install kubernetes-client')
})

describe.each(kubectls)('kubectl $name', (kubectl) => {
  let system: InProcessSystem
  let shell: Shell

  beforeAll(async () => {
    system = await startInProcess()
    shell = shellFor(kubectl, system.kubeconfig)
    await shell.type('kubectl api-resources')
  })
  afterAll(async () => {
    shell?.remove()
    await system?.stop()
  })

  const create = (name: string, labels = {}) =>
    system.http.call('POST', NODES, { body: { metadata: { name, labels } } })
  const patch = (name: string, body: object, path = '') =>
    system.http.call('PATCH', `${NODES}/${name}${path}`, { body, type: MERGE })
  const remove = (name: string) => system.http.call('DELETE', `${NODES}/${name}`)
  const ready = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } })

  it.concurrent('get nodes -w prints each change in its columns', async () => {
    await create('w-1', { watched: 'w' })
    const output = printing(shell.start('kubectl get nodes -l watched=w -w'))
    await output.shows('w-1  Unknown')
    await create('w-2', { watched: 'w' })
    await output.shows('w-2  Unknown')
    await patch('w-2', ready('True'), '/status')
    await output.shows('w-2  Ready')
    // Leaves the selector, so kubectl sees it end.
    await patch('w-1', { metadata: { labels: { watched: null } } })
    await output.shows('w-1  Unknown', 2)
    await remove('w-2')
    await output.shows('w-2  Ready', 2)
    output.stop()
    expect(output.text().match(/NAME/g)).toHaveLength(1)
  })

  it.concurrent('get node X -w begins with what is there', async () => {
    await create('one')
    const output = printing(shell.start('kubectl get node one -w'))
    await output.shows('one  Unknown')
    await patch('one', { spec: { unschedulable: true } })
    await output.shows('one  Unknown,SchedulingDisabled')
    output.stop()
  })

  it.concurrent('get nodes --watch-only --output-watch-events tells what happened', async () => {
    const flags = '-l watched=e --watch-only --output-watch-events --no-headers'
    const output = printing(shell.start(`kubectl get nodes ${flags} ${ALOUD}`))
    await output.shows(STANDS)
    await create('e-1', { watched: 'e' })
    await output.shows('ADDED  e-1')
    await patch('e-1', { spec: { unschedulable: true } })
    await output.shows('MODIFIED  e-1')
    await remove('e-1')
    await output.shows('DELETED  e-1')
    output.stop()
  })

  it.concurrent('wait ends when a node becomes Ready', async () => {
    await create('late')
    const waiting = shell.type('kubectl wait --for=condition=Ready node/late --timeout=30s')
    await patch('late', ready('True'), '/status')
    expect(await waiting).toBe('node/late condition met\n')
    expect(await shell.type('kubectl wait --for=condition=Ready node/late --timeout=5s')).toBe(
      'node/late condition met\n',
    )
  })

  it.concurrent('wait gives up when it was asked to', async () => {
    await create('never')
    const output = await shell.type('kubectl wait --for=condition=Ready node/never --timeout=2s')
    expect(output).toBe('error: timed out waiting for the condition on nodes/never\n[exit 1]\n')
  })

  it.concurrent('wait --for=delete ends when a node goes', async () => {
    await create('going')
    const output = printing(shell.start(`kubectl wait --for=delete node/going ${ALOUD}`))
    await output.shows(STANDS)
    await remove('going')
    await output.shows('node/going condition met')
  })

  it.concurrent('delete waits for the finalizer to go', async () => {
    await create('kept')
    await patch('kept', { metadata: { finalizers: ['example.com/hold'] } })
    const deleting = shell.type('kubectl delete node kept --timeout=30s')
    await eventually('the node is marked', () => isMarked(system, 'kept'))
    await patch('kept', { metadata: { finalizers: null } })
    expect(await deleting).toBe('node "kept" deleted\n')
  })

  it.concurrent.each([
    {
      what: 'leases',
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      body: { metadata: { name: 'lock' }, spec: { holderIdentity: 'me' } },
      line: 'lock  me',
    },
    {
      what: 'events',
      path: '/api/v1/namespaces/default/events',
      body: {
        metadata: { name: 'x.1' },
        involvedObject: { kind: 'Node', name: 'x' },
        reason: 'Up',
      },
      line: 'Up  node/x',
    },
    {
      what: 'pods',
      path: '/api/v1/namespaces/default/pods',
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'm', image: 'i' }] } },
      line: 'p  0/1  Pending',
    },
  ])('get $what -w prints what comes', async ({ what, path, body, line }) => {
    const output = printing(shell.start(`kubectl get ${what} -w ${ALOUD}`))
    await output.shows(STANDS)
    await system.http.call('POST', path, { body })
    await output.shows(line)
    output.stop()
  })
})

// At this level kubectl tells of every answer it gets: that of a watch comes when the watch stands.
const ALOUD = '-v=6'
const STANDS = 'watch=true'

async function isMarked({ http }: InProcessSystem, name: string): Promise<boolean> {
  const { body } = await http.call('GET', `${NODES}/${name}`)
  return body.metadata.deletionTimestamp !== undefined
}

/** What a command has printed so far, and how to wait for more. */
function printing(child: ChildProcess) {
  let all = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk) => {
    all += chunk
  })
  const text = () => normalised(all)
  const count = (line: string) =>
    text()
      .split('\n')
      .filter((each) => each.includes(line)).length
  return {
    text,
    shows: (line: string, times = 1) =>
      eventually(
        () => `${times} times "${line}" in\n${text()}`,
        () => count(line) >= times,
      ),
    stop: () => child.kill(),
  }
}
