/**
 * Every client tries every verb on every resource; docs/compatibility.md shows what passed, and
 * must not be stale.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resources } from '../../shared/kube/registry.ts'
import type { Resource, Verb } from '../../shared/kube/resource.ts'
import { eventually } from '../eventually.ts'
import { type InProcessSystem, startInProcess } from '../local-system/in-process.ts'
import type { Attempt, Client, Try } from './compatibility/client.ts'
import { goClient } from './compatibility/go-client.ts'
import { javascriptClient } from './compatibility/javascript-client.ts'
import { kubectlClient } from './compatibility/kubectl-client.ts'
import { collectionPath, OWN_LABEL, sampleOf } from './compatibility/samples.ts'
import { type Row, tableOnPage, tableText, VERBS, writeTable } from './compatibility/table.ts'
import { oldestAndNewest } from './kubectl/binaries.ts'

// From here on kubectl has --subresource; the oldest is held to its transcripts.
const SUBRESOURCE_MINOR = 24
const newest = (await oldestAndNewest()).at(-1)
const kubectl = newest && newest.minor >= SUBRESOURCE_MINOR ? newest : undefined

let system: InProcessSystem
let clients: readonly Client[]
beforeAll(async () => {
  system = await startInProcess('--nodes', '1')
  clients = [
    ...(kubectl ? [kubectlClient(kubectl, system.kubeconfig)] : []),
    javascriptClient(system),
    goClient(system.http),
  ]
})
afterAll(async () => {
  for (const client of clients ?? []) client.close()
  await system?.stop()
})

it('the table in docs/compatibility.md is what clients can do', { timeout: 120_000 }, async () => {
  const failures: string[] = []
  const rows = await Promise.all(resources.map((resource) => rowsOf(resource, failures)))
  expect(failures).toEqual([])
  const text = tableText(rows.flat())
  if (process.env.RECORD && kubectl) writeTable(text)
  expect(text).toEqual(kubectl ? tableOnPage() : tableOnPage().replaceAll('K ', ''))
})

async function rowsOf(resource: Resource, failures: string[]): Promise<Row[]> {
  const parts = [{ name: '', verbs: resource.verbs }, ...resource.subresources]
  const shown = resource.storedForm ? `${resource.plural}.${resource.group}` : resource.plural
  const rows = parts.map(({ name, verbs }) => ({
    subresource: name,
    what: name ? `${shown}/${name}` : shown,
    served: VERBS.filter((verb) => verbs.includes(verb)),
    passed: new Map<Verb, string[]>(),
  }))
  for (const { letter, verbs } of clients) {
    for (const { subresource, what, served, passed } of rows) {
      const name = await subject(
        resource,
        `${letter.toLowerCase()}-${subresource || resource.group || 'object'}`,
        subresource,
      )
      for (const verb of served) {
        const attempt = { resource, subresource, name }
        const said = await (verb === 'deletecollection'
          ? outcome(() => deletesCollection(attempt, verbs[verb]))
          : outcome(() => verbs[verb](attempt)))
        if (said !== 'passed') failures.push(`${letter} ${verb} ${what}: ${said}`)
        else passed.set(verb, [...(passed.get(verb) ?? []), letter])
      }
    }
  }
  return rows.map(({ what, passed }) => ({
    what,
    cells: new Map([...passed].map(([verb, letters]) => [verb, letters.join(' ')])),
  }))
}

/** Two objects with the client's label, one without: the first two must be gone. */
async function deletesCollection(attempt: Attempt, remove: Try): Promise<void> {
  const { resource, name } = attempt
  const path = collectionPath(resource)
  const post = (body: object) => system.http.call('POST', path, { body })
  const statusOf = async (one: string) => (await system.http.call('GET', `${path}/${one}`)).status
  const labels = { [OWN_LABEL]: name }
  await post(sampleOf(resource, `${name}-1`, labels))
  await post(sampleOf(resource, `${name}-2`, labels))
  await post(sampleOf(resource, `${name}-kept`))
  await remove(attempt)
  const left = [`${name}-1`, `${name}-2`, `${name}-kept`]
  expect(await Promise.all(left.map(statusOf))).toEqual([404, 404, 200])
}

/**
 * What is tried on: the client's own where it can create one, one made for it, or one the service
 * made itself.
 */
async function subject(resource: Resource, name: string, subresource: string): Promise<string> {
  const path = collectionPath(resource)
  if (resource.verbs.includes('create')) {
    if (subresource) await system.http.call('POST', path, { body: sampleOf(resource, name) })
    return name
  }
  // Listed only while something is to be explained; of the fleet there is always one.
  if (resource.plural === 'explanations') return 'fleet'
  const names = async (): Promise<string[]> => {
    const { body } = await system.http.call('GET', path)
    return body.items.map((item: { metadata: { name: string } }) => item.metadata.name)
  }
  await eventually(`the monitor makes ${resource.plural}`, async () => (await names()).length > 0)
  return (await names())[0]!
}

// The monitor writes nodes too: after a conflict every client's RetryOnConflict reads again.
const CONFLICT = 'the object has been modified'
const TRIES = 4

async function outcome(attempt: () => Promise<unknown>, tries = TRIES): Promise<string> {
  try {
    await attempt()
    return 'passed'
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return said.includes(CONFLICT) && tries > 1 ? await outcome(attempt, tries - 1) : said
  }
}
