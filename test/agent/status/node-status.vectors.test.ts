import { describe, expect, it } from 'vitest'
import { initialNode, reconcileNode, updateDefaultLabels } from '../../../agent/join/node-object.ts'
import { registerNode } from '../../../agent/join/registration.ts'
import {
  defaultHard,
  effectiveHard,
  parseThreshold,
  thresholds,
} from '../../../agent/machine/eviction-thresholds.ts'
import type { MachineFacts } from '../../../agent/machine/machine.ts'
import { NO_PRESSURE, observePressure } from '../../../agent/machine/pressure.ts'
import { quantityValue } from '../../../agent/machine/quantities.ts'
import { isReportDue, nodeStatusHasChanged, reportDelayMs } from '../../../agent/status/change.ts'
import {
  computeNodeStatus,
  SETTERS,
  withPlatformLabels,
  withProvidedNodeIp,
} from '../../../agent/status/node-status.ts'
import { statusPatch } from '../../../agent/status/patch.ts'
import { findAddresses, validateNodeIp } from '../../../agent/status/setters/addresses.ts'
import { capacityAndAllocatable } from '../../../agent/status/setters/capacity.ts'
import { setPressure } from '../../../agent/status/setters/conditions.ts'
import { imageList } from '../../../agent/status/setters/images.ts'
import { machineIds, rebootEvent, versionInfo } from '../../../agent/status/setters/node-info.ts'
import { setReady } from '../../../agent/status/setters/ready.ts'
import { fastNodeStatusUpdate, updateNodeStatus } from '../../../agent/status/update.ts'
import { parseDurationMs } from '../../../shared/kube/duration.ts'
import type { Node, NodeCondition } from '../../../shared/kube/objects.ts'
import { formatTime, parseTimeMs } from '../../../shared/kube/time.ts'
import type { VectorCase } from '../../vectors.ts'
import { playVectors } from '../play-vectors.ts'
import { scriptedClient } from '../scripted-client.ts'
import { looksSeconds } from '../timed-loops.ts'
import { someFacts, updateInput } from './update-input.ts'

const BASE_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const wire = (seconds: number) => formatTime(BASE_MS + seconds * 1000)
const back = (text: string | null | undefined) => ((parseTimeMs(text ?? '') ?? 0) - BASE_MS) / 1000

/** A condition as the vectors write it: its times are seconds. */
type Timed = Omit<NodeCondition, 'lastTransitionTime' | 'lastHeartbeatTime'> & {
  readonly lastTransitionTime?: number
  readonly lastHeartbeatTime?: number
}
const toWire = (conditions: readonly Timed[] = []): readonly NodeCondition[] =>
  conditions.map(({ lastTransitionTime, lastHeartbeatTime, ...rest }) => ({
    ...rest,
    ...(lastTransitionTime !== undefined && { lastTransitionTime: wire(lastTransitionTime) }),
    ...(lastHeartbeatTime !== undefined && { lastHeartbeatTime: wire(lastHeartbeatTime) }),
  }))
const fromWire = (conditions: readonly NodeCondition[]) =>
  conditions.map((each) => ({
    ...each,
    lastTransitionTime: back(each.lastTransitionTime),
    lastHeartbeatTime: back(each.lastHeartbeatTime),
  }))

type Player = (given: VectorCase['given'], expected: VectorCase['expect']) => unknown

const pressurePlayer =
  (type: 'MemoryPressure' | 'DiskPressure' | 'PIDPressure'): Player =>
  (given, expected) => {
    const set = setPressure(toWire(given.conditions), type, given.underPressure, BASE_MS)
    expect(fromWire(set.conditions)).toEqual(expected.conditions)
    expect(set.events.map(({ reason }) => reason)).toEqual(expected.events)
  }

const players: Readonly<Record<string, Player>> = {
  ready(given, expected) {
    const set = setReady(
      toWire(given.conditions),
      {
        errors: {
          runtime: given.runtimeError,
          network: given.networkError,
          storage: given.storageError,
          shutdown: given.shutdownError,
          warning: given.softRequirementWarning,
        },
        capacity: Object.fromEntries(given.capacityPresent.map((name: string) => [name, '1'])),
        hasLocalStorageIsolation: given.localStorageIsolation,
      },
      BASE_MS,
    )
    expect(fromWire(set.conditions)).toEqual(expected.conditions)
    expect(set.events.map(({ reason }) => reason)).toEqual(expected.events)
  },
  memoryPressure: pressurePlayer('MemoryPressure'),
  diskPressure: pressurePlayer('DiskPressure'),
  pidPressure: pressurePlayer('PIDPressure'),

  pressureSignal(given, expected) {
    const all = given.thresholds.map((each: Record<string, string | number>) => ({
      signal: each.signal,
      limit: parseThreshold(String(each.signal), String(each.value)),
      graceMs: Number(each.gracePeriod) * 1000,
      ...(given.minimumReclaim?.[each.signal as string] && {
        minReclaim: parseThreshold(
          String(each.signal),
          given.minimumReclaim[each.signal as string],
        ),
      }),
    }))
    const rules = { thresholds: all, transitionMs: given.transitionPeriod * 1000 }
    let state = NO_PRESSURE
    const steps = given.observations.map((seen: { at: number; signals: object }) => {
      const observations = Object.fromEntries(
        Object.entries(seen.signals).map(([signal, { available, capacity }]) => [
          signal,
          { available: quantityValue(`${available}`), capacity: quantityValue(`${capacity}`) },
        ]),
      )
      const pressed = observePressure(state, observations, rules, seen.at * 1000)
      state = pressed.state
      return sets({ at: seen.at, pressure: [...pressed.pressures], ...pressed })
    })
    expect(steps).toEqual(expected.steps.map(sets))
  },

  async threshold(given, expected) {
    if (given.evictionHard) {
      expect(effectiveHard(given, given.os ?? 'linux')).toEqual(expected.effective)
    } else if (given.evictionSoft) {
      const read = () =>
        thresholds({ ...given, evictionSoftGraceMs: softGraceMs(given) }, given.os ?? 'linux')
      if (expected.error) expect(read).toThrow()
      else expect(read).not.toThrow()
    } else if (given.signal) {
      if (expected.error) expect(() => parseThreshold(given.signal, given.value)).toThrow()
      else expect(described(parseThreshold(given.signal, given.value))).toMatchObject(expected)
    } else if (given.os) expect(defaultHard(given.os)).toEqual(expected)
    else {
      const [, second, third] = await looksSeconds({ forSeconds: 30 })
      const monitoringPeriodSeconds = (third ?? 0) - (second ?? 0)
      expect({ monitoringPeriodSeconds }).toEqual(expected)
    }
  },

  hasChanged(given, expected) {
    const status = (side: { conditions?: readonly Timed[] } | null) =>
      side === null ? undefined : { ...side, conditions: toWire(side.conditions) }
    expect(nodeStatusHasChanged(status(given.original), status(given.status))).toBe(
      expected.changed,
    )
  },

  async reportTiming(given, expected) {
    if (given.writeFails) {
      const { client } = scriptedClient(() => ({ code: 500 }))
      const input = { ...updateInput({ changed: true }), steadyMs: 1 }
      const { last } = await updateNodeStatus(client, input)
      expect(last.atMs !== input.last.atMs).toBe(expected.lastReportMoves)
    } else if (given.changed !== undefined) {
      const told = given.everReported === false ? 'first' : 'due'
      const reason = given.changed ? 'changed' : told
      const shifts = [0, 0.9].map((random) => reportDelayMs(reason, 300_000, random))
      if (expected.delay === 'random') expect(shifts[0]).not.toBe(shifts[1])
      else expect(shifts).toEqual([0, 0])
    } else if (given.random !== undefined) {
      const shift = reportDelayMs('changed', given.reportFrequency * 1000, given.random)
      expect(shift / 1000).toBe(expected.delay)
    } else {
      const last = {
        atMs: given.lastReport === null ? undefined : BASE_MS + given.lastReport * 1000,
        delayMs: given.delay * 1000,
      }
      expect(isReportDue(last, given.reportFrequency * 1000, BASE_MS)).toBe(expected.due)
    }
  },

  async statusLoop(given, expected) {
    if (given.patchAnswers) {
      const { client, calls, resets } = patchedBy(given.patchAnswers)
      const update = await updateNodeStatus(client, updateInput({ changed: true }))
      expect({
        tries: calls.filter(({ method }) => method === 'PATCH').length,
        failureCallbacks: resets(),
        ok: update.outcome !== 'failed',
      }).toEqual(expected)
    } else if (given.updateFrequency) {
      const { updateFrequency, random } = given
      const [, second = 0, third = 0] = await looksSeconds({
        nodeStatusUpdateFrequencySeconds: updateFrequency,
        random,
        forSeconds: 3 * updateFrequency,
      })
      expect(Number((third - second).toFixed(3))).toBe(expected.waitSeconds)
    } else if ('labels' in given) {
      const node = { metadata: { labels: given.labels ?? undefined } }
      const fixed = withPlatformLabels(node, '<os>', '<arch>')
      expect({ labels: fixed.metadata.labels, changed: fixed !== node }).toEqual(expected)
    } else {
      const { client, calls } = scriptedClient(() => ({ code: 200 }))
      await updateNodeStatus(client, updateInput({ changed: given.changed, due: given.due }))
      expect({ writes: calls.length }).toEqual(expected)
    }
  },

  async fastUpdate(given, expected) {
    if (given.storedReady === undefined) {
      const looks = await looksSeconds({ isFit: false, forSeconds: 200 })
      const gaps = looks.slice(1).map((time, at) => time - (looks[at] ?? 0))
      const slowFrom = gaps.findIndex((gap) => gap > 1)
      expect({
        intervalSeconds: Number(gaps[0]?.toFixed(3)),
        giveUpSeconds: Math.round(looks[slowFrom] ?? 0),
      }).toEqual(expected)
      return
    }
    const { client, calls } = patchedBy(given.patchAnswers ?? [])
    const input = updateInput({ storedReady: given.storedReady, wouldBe: given.wouldBe ?? 'True' })
    const step = await fastNodeStatusUpdate(client, input)
    const patches = calls.filter(({ method }) => method === 'PATCH').length
    expect({ done: step.isDone, patches }).toEqual(expected)
  },

  async register(given, expected) {
    const annotations = Object.fromEntries(
      Object.entries(given.wanted ?? {}).filter(([, value]) => value !== null),
    ) as Record<string, string>
    const wish = {
      name: 'a',
      labels: {},
      taints: given.registerWithTaints ?? [],
      annotations,
      hasExternalProvider: given.externalCloudProvider,
    }
    const wanted: Node = {
      ...initialNode(wish, someFacts),
      ...(given.newCapacity && { status: { capacity: given.newCapacity } }),
    }
    if (expected.taints) return expect(wanted.spec?.taints).toEqual(expected.taints)
    if (given.existingCapacity) return playSizes(given, expected, wanted)

    const existing = { ...wanted, metadata: { ...wanted.metadata, annotations: given.existing } }
    let patched: Node = existing
    const { client, calls } = scriptedClient((call) => {
      if (call.method === 'POST') return CREATE_ANSWERS[given.create as string] ?? { code: 500 }
      if (call.method === 'GET') return { code: CODES[given.get ?? 'ok'] ?? 500, body: existing }
      if (given.patch && given.patch !== 'ok') return { code: 500 }
      const { annotations: changes } = (call.body as Node).metadata
      patched = { ...existing, metadata: { ...existing.metadata, annotations: changes } }
      return { code: 200, body: patched }
    })
    const result = await registerNode(client, wanted)
    const words = { POST: 'create', GET: 'get', PATCH: 'patchStatus', PUT: '', DELETE: '' }
    expect(result.kind === 'registered').toBe(expected.registered)
    expect(calls.map(({ method }) => words[method])).toEqual(expected.calls)
    if ('annotationAfter' in expected) {
      const [key] = Object.keys(given.wanted)
      expect(patched.metadata.annotations?.[key as string]).toBe(expected.annotationAfter)
    }
  },

  labels(given, expected) {
    const labels = updateDefaultLabels(given.existing ?? undefined, given.wanted)
    const node = { metadata: { ...(given.existing && { labels: given.existing }) } }
    const target = reconcileNode(node, { metadata: { labels: given.wanted } })
    expect({ needsUpdate: target !== node, labels }).toEqual(expected)
  },

  address(given, expected) {
    const find = () =>
      findAddresses(given.existingAddresses ?? [], {
        hostname: given.hostname,
        nodeIps: given.nodeIPs,
        resolved: given.resolved,
        hasExternalProvider: given.external,
        interfaces: given.interfaces,
      })
    if (expected.error) return expect(find).toThrow()
    const found = find()
    expect(found.addresses).toEqual(expected.addresses)
    if (!expected.annotations) return
    const node = withProvidedNodeIp(
      { metadata: { annotations: given.annotations } },
      found.providedIp,
    )
    expect(node.metadata.annotations ?? {}).toEqual(expected.annotations)
  },

  nodeIP(given, expected) {
    const check = () => validateNodeIp(given.ip, given.interfaces)
    if (expected.valid) expect(check).not.toThrow()
    else expect(check).toThrow()
  },

  machine(given, expected) {
    const facts: MachineFacts = {
      ...someFacts,
      cores: given.cores ?? 0,
      memoryBytes: given.memory ?? 0,
      swapBytes: given.swap ?? 0,
      machineId: given.machineID ?? '',
      systemUuid: given.systemUUID ?? '',
      bootId: given.bootID ?? '',
      storageBytes: undefined,
    }
    const settings = {
      maxPods: given.maxPods,
      podsPerCore: given.podsPerCore ?? 0,
      reserved: given.reservation ?? {},
      removedDevices: given.removedDevices,
    }
    const existing = { capacity: given.existingCapacity, allocatable: given.existingAllocatable }
    const sized = capacityAndAllocatable(
      existing,
      given.machineInfoError ? undefined : facts,
      settings,
    )
    const info = { bootID: given.existingBootID } as Parameters<typeof machineIds>[0]
    const event = rebootEvent('a', info, facts.bootId, given.alreadySent ?? false)
    const { events, absentFromAllocatable = [], ...shape } = expected
    expect({ ...sized, nodeInfo: machineIds(undefined, facts) }).toMatchObject(shape)
    for (const name of absentFromAllocatable) expect(sized.allocatable).not.toHaveProperty(name)
    if (events) expect(event ? [event] : []).toMatchObject(events)
  },

  version(given, expected) {
    const { kernel = '', osImage = '', runtimeType, runtimeVersion } = given
    const facts = { kernel, osImage, runtimeType, runtimeVersion, agentVersion: 'v1' }
    expect(versionInfo(facts)).toMatchObject(expected)
  },

  images(given, expected) {
    const images = given.images.map(({ size, ...names }: { size: number }) => ({
      ...names,
      sizeBytes: size,
    }))
    const list = imageList(images, given.max)
    if (expected.images) expect(list).toEqual(expected.images)
    if (expected.sizes) expect(list.map(({ sizeBytes }) => sizeBytes)).toEqual(expected.sizes)
    if (expected.names) expect(list[0]?.names).toEqual(expected.names)
  },

  async patchBody(given, expected) {
    if (given.old) return playAddresses(given, expected)
    if (expected.metadataInPatch) {
      const metadata = {
        ...(given.labelsChanged && { labels: { a: 'b' } }),
        ...(given.annotationsChanged && { annotations: { a: 'b' } }),
      }
      const patch = statusPatch({ metadata: {} }, { metadata })
      expect(Object.keys(patch.metadata as object)).toEqual(expected.metadataInPatch)
    } else if (given.storedConditions) playForeignCondition(given, expected)
    else if (expected.contentType) {
      const { client, calls } = patchedBy([])
      await updateNodeStatus(client, updateInput({ changed: true }))
      const { contentType, method, path } = calls.at(-1)!
      expect({ contentType, method, path: path.replace('/a/', '/{name}/') }).toEqual(expected)
    } else {
      const meta = { name: 'a', uid: 'u' }
      const patch = statusPatch(
        { metadata: { ...meta, resourceVersion: '1' } },
        { metadata: { ...meta, resourceVersion: '2' }, status: { phase: 'Running' } },
      )
      expect(Object.keys(patch.metadata ?? {})).toEqual(expected.metadataKeysInPatch)
    }
  },

  order(given, expected) {
    if (expected.order) return expect(Object.keys(SETTERS)).toEqual(expected.order)
    const node = { metadata: { name: 'a' }, status: { conditions: given.conditions } }
    const computed = computeNodeStatus(node, updateInput({ changed: true }).setterInput)
    const types = computed.node.status?.conditions?.map(({ type }) => type)
    expect(types).toEqual(expected.conditions)
  },
}

interface PressureStep {
  readonly at: number
  readonly pressure: readonly string[]
  readonly evictionDue: readonly string[]
}
const sets = ({ at, pressure, evictionDue }: PressureStep) => ({
  ...{ at, pressure: [...pressure].sort(), evictionDue: [...evictionDue].sort() },
})

/** Seconds, or as a configuration file writes them. */
function softGraceMs({ evictionSoftGracePeriod = {} }: VectorCase['given']) {
  const ms = (text: unknown) =>
    typeof text === 'number' ? text * 1_000 : parseDurationMs(String(text))
  const read = Object.entries(evictionSoftGracePeriod).map(([signal, text]) => [signal, ms(text)])
  return Object.fromEntries(read)
}

/** A server that answers PATCHes in this order, and well when the list is at its end. */
function patchedBy(answers: readonly string[]) {
  const left = [...answers]
  return scriptedClient((call) => ({
    code: call.method === 'PATCH' ? (CODES[left.shift() ?? 'ok'] ?? 500) : 200,
    body: { metadata: { name: 'a' } },
  }))
}

const CREATE_ANSWERS: Record<string, { code: number; body?: unknown }> = {
  ok: { code: 201, body: { metadata: { name: 'a' } } },
  alreadyExists: { code: 409, body: { kind: 'Status', reason: 'AlreadyExists' } },
  forbidden: { code: 403 },
  conflict: { code: 409, body: { kind: 'Status', reason: 'Conflict' } },
}

const CODES: Record<string, number> = { ok: 200, notFound: 404, conflict: 409, error: 500 }

function described(limit: ReturnType<typeof parseThreshold>) {
  if (!limit) return { ignored: true }
  // Single precision is kept on purpose; the vectors print it rounded.
  if (limit.kind === 'percentage') return { percentage: Number(limit.part.toPrecision(6)) }
  return { quantity: limit.text }
}

function playSizes(given: VectorCase['given'], expected: VectorCase['expect'], wanted: Node): void {
  const existing: Node = { ...wanted, status: { capacity: given.existingCapacity } }
  const withBoth = {
    ...existing,
    status: { ...existing.status, allocatable: given.existingCapacity },
  }
  const target = reconcileNode(withBoth, wanted, given.resetExtended)
  expect(target !== withBoth).toBe(expected.needsPatch)
  if (expected.capacity) expect(target.status?.capacity).toMatchObject(expected.capacity)
  if (expected.allocatable) expect(target.status?.allocatable).toMatchObject(expected.allocatable)
  for (const name of expected.absent ?? []) {
    expect(target.status?.capacity).not.toHaveProperty([name])
    expect(target.status?.allocatable).not.toHaveProperty([name])
  }
}

function playAddresses(given: VectorCase['given'], expected: VectorCase['expect']): void {
  const patch = statusPatch(
    { metadata: {}, status: given.old },
    { metadata: {}, status: given.new },
  ) as { status: { addresses: Record<string, string>[] } }
  const isReplacing = patch.status.addresses.some((each) => each.$patch === 'replace')
  if ('replaceMarker' in expected) expect(isReplacing).toBe(expected.replaceMarker)
  if (!expected.result) return
  expect(isReplacing).toBe(true)
  expect(patch.status.addresses.filter((each) => !each.$patch)).toEqual(expected.result)
}

function playForeignCondition(given: VectorCase['given'], expected: VectorCase['expect']): void {
  const at = (types: string[], heartbeat: number) =>
    types.map((type) => ({ type, status: 'True' as const, lastHeartbeatTime: wire(heartbeat) }))
  const stored = { metadata: {}, status: { conditions: at(given.storedConditions, 0) } }
  const mine = { metadata: {}, status: { conditions: at(given.patchConditions, 9) } }
  const seen = { metadata: {}, status: { conditions: at(given.patchConditions, 0) } }
  const patch = statusPatch(seen, mine) as { status: { conditions: NodeCondition[] } }
  const result = stored.status.conditions.map(
    (old) => patch.status.conditions.find(({ type }) => type === old.type) ?? old,
  )
  expect(result.map(({ type }) => type)).toEqual(expected.resultTypes)
  expect(JSON.stringify(patch)).not.toContain('"$patch":"delete"')
}

describe('node-status-setters.json', () => {
  playVectors(
    'node-status-setters',
    () => true,
    (each) => {
      const play = players[each.given.part as string]
      if (!play) throw new Error(`no player for ${each.given.part}`)
      return play(each.given, each.expect)
    },
  )

  it('tells a failing setter and runs the others', () => {
    const { setterInput } = updateInput({ changed: true })
    const broken = {
      ...SETTERS,
      machine: () => {
        throw new Error('no /proc')
      },
    }
    const computed = computeNodeStatus({ metadata: { name: 'a' } }, setterInput, broken)
    expect(computed.problems).toEqual(['machine: no /proc'])
    expect(computed.node.status?.conditions?.at(-1)?.type).toBe('Ready')
  })
})
