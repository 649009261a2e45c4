import { expect, it } from 'vitest'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

it('once a minute tells CloudWatch what alarms watch', async () => {
  const lines: string[] = []
  const emf = { stage: 'prod', write: (line: string) => lines.push(line) }
  const fleet = new SmallFleet({ deps: { emf } })
  await fleet.addNodes(4, ['a'])
  await fleet.run(125_000, fleet.names.slice(1))
  expect(lines).toHaveLength(2)
  const [first, second] = lines.map((line) => JSON.parse(line))
  expect(first).toMatchObject({ Stage: 'prod', Ticks: 13, TickOverruns: 0, Blind: 0, BeatShare: 1 })
  expect(first.DetectionLag).toHaveLength(1)
  expect(second).toMatchObject({ Ticks: 12, BeatShare: 0.75 })
  const [{ Namespace, Dimensions, Metrics }] = first._aws.CloudWatchMetrics
  expect([Namespace, Dimensions]).toEqual(['Leasehold', [['Stage']]])
  const told = Metrics.map(({ Name }: { Name: string }) => Name)
  for (const name of told) expect(first).toHaveProperty(name)
  expect(told).toContain('Ticks')
})

it('misses nobody where there is nobody', async () => {
  const lines: string[] = []
  const emf = { stage: 'prod', write: (line: string) => lines.push(line) }
  const fleet = new SmallFleet({ deps: { emf } })
  await fleet.run(65_000)
  expect(lines.map((line) => JSON.parse(line).BeatShare)).toEqual([1])
})

it('expects of a host with a long grace no more than its rhythm', async () => {
  const lines: string[] = []
  const emf = { stage: 'prod', write: (line: string) => lines.push(line) }
  const fleet = new SmallFleet({ deps: { emf } })
  await fleet.addNodes(1, ['a'])
  await fleet.addNode('patient', 'a', {
    annotations: { 'leasehold.dev/node-monitor-grace-period': '10m' },
  })
  await fleet.run(185_000, [nodeName(0)])
  expect(lines.map((line) => JSON.parse(line).BeatShare)).toEqual([1, 1, 1])
})

it('tells whether refused beats alone keep it from judging', async () => {
  const lines: string[] = []
  const emf = { stage: 'prod', write: (line: string) => lines.push(line) }
  let isDown = false
  const canary = async () => {
    if (isDown) throw new Error('502')
  }
  const fleet = new SmallFleet({ deps: { emf, canary } })
  await fleet.addNodes(4, ['a'])
  const last = () => JSON.parse(lines.at(-1)!)
  await fleet.run(65_000, fleet.names)
  expect(last()).toMatchObject({ Blind: 0, BlindByRefusals: 0 })

  const refused = fleet.names.slice(1).map((name) => [name, { atMs: fleet.nowMs + 120_000 }])
  const value = { nodes: Object.fromEntries(refused) }
  await fleet.must([{ do: 'putRecord', name: 'refused-beats/p', value }])
  await fleet.run(65_000, fleet.names)
  expect(last()).toMatchObject({ Blind: 1, BlindByRefusals: 1 })
  isDown = true
  await fleet.run(65_000, fleet.names)
  expect(last()).toMatchObject({ Blind: 1, BlindByRefusals: 0 })
})
