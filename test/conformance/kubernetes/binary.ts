/**
 * Kubernetes' own test suite, and its kubelet, built from the Go module `k8s.io/kubernetes`. That module names its
 * staging modules as folders of its repository, so they are replaced by their releases. The build
 * takes a quarter of an hour on two cores, once: it is kept outside the project.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { failureReason } from '../../../local/emulators/python-environment.ts'
import { ask } from '../clients/program.ts'

export const VERSION = '1.36.4'
/** Staging modules have the number of the release they belong to. */
const STAGING = `v0${VERSION.slice(1)}`
const CACHE = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
const FOLDER = join(CACHE, 'leasehold', `kubernetes-${VERSION}`)

const stamps = Object.entries({ gitVersion: `v${VERSION}`, gitMajor: '1', gitMinor: '36' })
  .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  .join(' ')

export type Built =
  | { readonly kind: 'built'; readonly path: string }
  | { readonly kind: 'skipped'; readonly why: string }

const PROGRAMS = {
  'e2e.test': ['test', '-c', '-vet=off'],
  kubelet: ['build'],
} as const
const PACKAGES = { 'e2e.test': 'test/e2e', kubelet: 'cmd/kubelet' }

export async function built(program: keyof typeof PROGRAMS): Promise<Built> {
  const path = join(FOLDER, program)
  if (existsSync(path)) return { kind: 'built', path }
  try {
    await mkdir(FOLDER, { recursive: true })
    if (!existsSync(join(FOLDER, 'go.mod'))) await writeModule()
    const go = (...args: string[]) => ask('go', '-C', FOLDER, ...args)
    const name = `k8s.io/kubernetes/${PACKAGES[program]}`
    await go('get', `${name}@v${VERSION}`)
    const flags = ['-mod=mod', `-ldflags=-s -w ${stamps}`, '-o', path]
    await go(...PROGRAMS[program], ...flags, name)
    return { kind: 'built', path }
  } catch (error) {
    return { kind: 'skipped', why: failureReason(error) }
  }
}

async function writeModule(): Promise<void> {
  const name = `k8s.io/kubernetes@v${VERSION}`
  const { GoMod } = JSON.parse(await ask('go', 'mod', 'download', '-json', name))
  const required = (await readFile(GoMod, 'utf8')).matchAll(/^\s+(k8s\.io\/\S+) v0\.0\.0$/gm)
  const replaced = [...required].map(([, staging]) => `\t${staging} => ${staging} ${STAGING}`)
  const lines = ['module suite', 'go 1.26.0', `require k8s.io/kubernetes v${VERSION}`]
  await writeFile(join(FOLDER, 'go.mod'), [...lines, 'replace (', ...replaced, ')', ''].join('\n'))
}
