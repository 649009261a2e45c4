import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'leasehold-app-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** As `cdk` starts it: the options of `-c` come in the environment. */
function synthesize(context: object) {
  const out = join(folder, 'cdk.out')
  const env = { CDK_CONTEXT_JSON: JSON.stringify(context), CDK_OUTDIR: out }
  const ran = spawnSync(process.execPath, ['infra/app.ts'], { env, encoding: 'utf8' })
  return { ...ran, hasOutput: existsSync(join(out, 'manifest.json')) }
}

it.each([
  { when: 'a value is wrong', context: { fleetSize: 'many' }, says: '-c fleetSize=many: give' },
  { when: 'there is no such option', context: { fleetsize: '5' }, says: '-c fleetsize: no such' },
])('says so in one sentence and synthesizes nothing when $when', ({ context, says }) => {
  const { status, stderr, hasOutput } = synthesize(context)
  expect([status, hasOutput]).toEqual([2, false])
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(says)])
})
