/**
 * The Go programs of ../go: the checks on client-go, and kubectl itself, which is a library with a
 * main of ten lines. Built where there is Go and its modules can be had; Go itself knows what is
 * built already.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failureReason } from '../../../local/emulators/python-environment.ts'
import { ask } from './program.ts'

const SOURCE = fileURLToPath(new URL('../go', import.meta.url))
const BUILT = fileURLToPath(new URL('../../../node_modules/.cache/leasehold/go', import.meta.url))

export type Modules = { readonly kind: 'ready' } | { readonly kind: 'absent'; readonly why: string }

const go = (...args: readonly string[]) => ask('go', '-C', SOURCE, ...args)

export async function fetchModules(): Promise<Modules> {
  try {
    await go('mod', 'download')
    return { kind: 'ready' }
  } catch (error) {
    return { kind: 'absent', why: failureReason(error) }
  }
}

/** `0.37.2` of a module in go.mod. */
export async function versionOf(name: string): Promise<string> {
  return (await go('list', '-m', '-f', '{{.Version}}', name)).replace('v', '')
}

export async function buildChecks(): Promise<string> {
  const path = join(BUILT, 'checks')
  // Vetting would look at every package of Kubernetes first, for minutes.
  await go('test', '-c', '-vet=off', '-o', path, '.')
  return path
}

/** kubectl is released as 1.37.2 from modules that are called 0.37.2. */
export async function buildKubectl(moduleVersion: string): Promise<string> {
  const path = join(BUILT, 'kubectl')
  const [, minor, patch] = moduleVersion.split('.')
  const variables = { gitVersion: `v1.${minor}.${patch}`, gitMajor: '1', gitMinor: minor }
  const stamps = Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  )
  await go('build', '-trimpath', `-ldflags=-s -w ${stamps.join(' ')}`, '-o', path, './kubectl')
  return path
}
