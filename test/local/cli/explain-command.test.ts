import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CommandContext } from '../../../local/cli/command.ts'
import { openInstall } from '../../../local/cli/install.ts'
import { runProgram } from '../../../local/cli/program.ts'
import { dataFolder, writeEndpoints } from '../../../local/data-folder.ts'
import { SmallFleet } from '../../functions/monitor/small-fleet.ts'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-explain-'))
const tables = { leases: 'l', objects: 'o' }
writeEndpoints(dataFolder(folder), {
  api: 'https://127.0.0.1:6443',
  dynamodb: 'http://127.0.0.1:1',
  isSealed: false,
  tables,
})
afterAll(() => rmSync(folder, { recursive: true }))

async function explain(place: SmallFleet, line: string) {
  const said = { printed: '', told: '', code: 0 }
  const context: CommandContext = {
    env: {},
    nowMs: place.clock,
    randomInt: () => 0,
    newId: () => 'id',
    print: (text) => {
      said.printed += text
    },
    tell: (text) => {
      said.told += text
    },
    program: { command: 'node', args: ['main.ts'] },
    interrupted: () => new AbortController().signal,
    open: (location) => openInstall(location, async () => place.store),
  }
  said.code = await runProgram(['explain', ...line.split(' '), '--data', folder], context)
  return said
}

/** Twelve hosts of two zones, one of which has been silent for a minute. */
async function fleet(): Promise<SmallFleet> {
  const place = new SmallFleet()
  await place.addNodes(12, ['a', 'b'])
  await place.addPod('web', place.names[0]!)
  await place.run(60_000, place.names.slice(1))
  return place
}

describe('leasehold explain', () => {
  it('says of a node, a pod, a zone and the fleet which rule decided, and by what numbers', async () => {
    const place = await fleet()
    const [name] = place.names
    const node = await explain(place, `node ${name}`)
    expect(node).toMatchObject({ code: 0, told: '' })
    expect(node.printed).toMatch(/marked Unknown; NoExecute waits .*rule settle/)
    expect(node.printed).toContain('grace 50 s, blind 0 s')
    expect((await explain(place, 'pod default/web')).printed).toContain('rule toleration')
    expect((await explain(place, 'zone a')).printed).toContain('1 of 6 (16.7 %) not ready')
    expect((await explain(place, 'fleet')).printed).toContain('12 nodes: 11 ready')
  })

  it('says the same as JSON', async () => {
    const place = await fleet()
    const { printed } = await explain(place, `node ${place.names[1]} -o json`)
    expect(JSON.parse(printed)).toMatchObject({ kind: 'node', rule: 'healthy', isCalm: true })
  })

  it.each([
    { line: 'node host-99', says: 'there is no node host-99' },
    { line: 'pod default/none', says: 'there is no pod default/none' },
    { line: 'pod', says: 'NAMESPACE/NAME is missing' },
    { line: 'pod web', says: 'say which pod: NAMESPACE/NAME' },
    { line: 'zone z', says: 'there is no zone z' },
    { line: 'node host-1 -o xml', says: '--output is text or json' },
  ])('ends with 2 and says what is wrong with `$line`', async ({ line, says }) => {
    const found = await explain(await fleet(), line)
    expect(found).toMatchObject({ code: 2, printed: '' })
    expect(found.told).toContain(says)
  })
})
