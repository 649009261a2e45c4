import { describe, expect, it } from 'vitest'
import type { Pod, PodSpec, PodStatus } from '../../../../shared/kube/objects.ts'
import { pods } from '../../../../shared/kube/pod/resource.ts'
import { toTable } from '../../../../shared/kube/table.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const two: PodSpec = { containers: [{ name: 'a' }, { name: 'b' }] }
const running = { ready: true, state: { running: {} } }
const waiting = (reason: string) => ({ state: { waiting: { reason } } })
const ended = (terminated: object) => ({ state: { terminated } })
const statuses = (...list: object[]) => ({ containerStatuses: list })

interface Case {
  readonly when: string
  readonly spec?: PodSpec
  readonly status?: PodStatus
  readonly deleted?: true
  readonly cells: string
}

const row = ({ spec = two, status, deleted }: Omit<Case, 'when' | 'cells'>) => {
  const deletionTimestamp = deleted && '2026-01-02T03:04:35Z'
  const pod: Pod = { metadata: { name: 'p', deletionTimestamp }, spec, status }
  return toTable({ resource: pods, objects: [pod], nowMs }).rows[0]!
}

describe('a pod as a line', () => {
  it.each<Case>([
    { when: 'nothing has been reported', status: { phase: 'Pending' }, cells: '0/2 Pending 0' },
    {
      when: 'it was evicted',
      status: { phase: 'Failed', reason: 'Evicted' },
      cells: '0/2 Evicted 0',
    },
    {
      when: 'it waits behind a gate',
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
      },
      cells: '0/2 SchedulingGated 0',
    },
    {
      when: 'one of two is ready',
      status: { phase: 'Running', ...statuses(running, { state: { running: {} } }) },
      cells: '1/2 Running 0',
    },
    {
      when: 'both wait, the first speaks',
      status: { phase: 'Pending', ...statuses(waiting('ErrImagePull'), waiting('Other')) },
      cells: '0/2 ErrImagePull 0',
    },
    {
      when: 'a container was killed by a signal',
      status: { phase: 'Running', ...statuses(ended({ signal: 9, exitCode: 137 })) },
      cells: '0/2 Signal:9 0',
    },
    {
      when: 'a container ended with a code',
      status: { phase: 'Running', ...statuses(ended({ exitCode: 3 })) },
      cells: '0/2 ExitCode:3 0',
    },
    {
      when: 'one has completed and the pod is ready with the other',
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        ...statuses(ended({ reason: 'Completed' }), running),
      },
      cells: '1/2 Running 0',
    },
    {
      when: 'one has completed and the pod is not ready',
      status: { phase: 'Running', ...statuses(ended({ reason: 'Completed' }), running) },
      cells: '1/2 NotReady 0',
    },
    {
      when: 'it restarted a while ago',
      status: {
        phase: 'Running',
        ...statuses({
          ...running,
          restartCount: 3,
          lastState: { terminated: { finishedAt: '2026-01-02T03:02:05Z' } },
        }),
      },
      cells: '1/2 Running 3 (2m ago)',
    },
    {
      when: 'it is being deleted',
      status: { phase: 'Running' },
      deleted: true,
      cells: '0/2 Terminating 0',
    },
    {
      when: 'it is being deleted and its node is lost',
      status: { phase: 'Running', reason: 'NodeLost' },
      deleted: true,
      cells: '0/2 Unknown 0',
    },
    {
      when: 'it is being deleted after it had ended',
      status: { phase: 'Succeeded' },
      deleted: true,
      cells: '0/2 Succeeded 0',
    },
  ])('$when: $cells', ({ cells, ...pod }) => {
    expect(row(pod).cells.slice(1, 4).join(' ')).toBe(cells)
  })

  const init: PodSpec = {
    containers: [{ name: 'a' }],
    initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'once' }],
  }
  const side = { name: 'side', started: true, ready: true, restartCount: 1 }
  it.each<Case>([
    {
      when: 'the second of two is at work',
      status: { initContainerStatuses: [side, { name: 'once', state: { running: {} } }] },
      cells: '1/2 Init:1/2 1',
    },
    {
      when: 'the second has failed',
      status: {
        initContainerStatuses: [side, { name: 'once', restartCount: 4, ...ended({ exitCode: 1 }) }],
      },
      cells: '1/2 Init:ExitCode:1 5',
    },
    {
      when: 'the second waits',
      status: { initContainerStatuses: [side, { name: 'once', ...waiting('CrashLoopBackOff') }] },
      cells: '1/2 Init:CrashLoopBackOff 1',
    },
    {
      when: 'all is prepared: what ran once counts no more',
      status: {
        phase: 'Running',
        initContainerStatuses: [side, { name: 'once', restartCount: 4, ...ended({ exitCode: 0 }) }],
        ...statuses({ ...running, restartCount: 2 }),
      },
      cells: '2/2 Running 3',
    },
  ])('while it starts, $when: $cells', ({ status, cells }) => {
    expect(row({ spec: init, status }).cells.slice(1, 4).join(' ')).toBe(cells)
  })

  it('shows where it is, when wide', () => {
    expect(row({}).cells.slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>'])
    const spec = {
      ...two,
      nodeName: 'n1',
      readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }],
    }
    const status: PodStatus = {
      podIPs: [{ ip: '10.0.0.9' }],
      nominatedNodeName: 'n2',
      conditions: [{ type: 'x', status: 'True' }],
    }
    expect(row({ spec, status }).cells.slice(5)).toEqual(['10.0.0.9', 'n1', 'n2', '1/2'])
  })

  it('marks the rows of finished pods', () => {
    expect(row({ status: { phase: 'Running' } }).conditions).toBeUndefined()
    expect(row({ status: { phase: 'Succeeded' } }).conditions).toMatchObject([
      { type: 'Completed', status: 'True', reason: 'Succeeded' },
    ])
  })
})
