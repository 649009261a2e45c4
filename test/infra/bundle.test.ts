/**
 * What is inside a function, and how much of it does a cold start load? Bytes, so they can be
 * asserted.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle, bundleFile, functionNames } from '../../infra/bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-bundles-'))
const baseline = bundleFile('bench/baseline/hono-and-dynamodb.ts', join(folder, 'baseline'))

afterAll(() => rmSync(folder, { recursive: true }))

const MOST_OF_BASELINE = 1.2
const strangers =
  /node_modules\/(aws-cdk|constructs|cdk-nag|@dynoxide|vitest|vite|esbuild|typescript|fast-check|preact|@biomejs)/
const ourTools = /^(infra|local|bench|agent|dashboard|test)\//

const bundles = new Map(functionNames.map((name) => [name, bundle(name, folder)]))

describe.each(functionNames)('the bundle of the %s', (name) => {
  it('has nothing of the tools in it', () => {
    const sources = bundles.get(name)?.sources ?? []
    expect(sources).toContain(`functions/${name}/handler.ts`)
    expect(sources.filter((file) => strangers.test(file) || ourTools.test(file))).toEqual([])
  })
})

it('a cold api loads no more than its budget', () => {
  const loaded = bundles.get('api')?.initBytes ?? Number.NaN
  expect(loaded / baseline.initBytes).toBeLessThanOrEqual(MOST_OF_BASELINE)
})

it('has the page beside it on a fresh clone too: every synth builds it first', () => {
  const { build } = JSON.parse(readFileSync('cdk.json', 'utf8'))
  expect(build).toBe('node dashboard/build.ts')
})
