/**
 * Packages from PyPI in a virtual environment of their own. They need Python and a package index,
 * which not every machine has, so the answer is plain: where the programs are, or why there are
 * none. The first run installs them (a minute or two), later ones find them.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fnv1a } from '../shared/kube/fnv.ts'
import { lastWords } from './last-words.ts'

export type PythonEnvironment =
  | { readonly kind: 'ready'; readonly bin: string }
  | { readonly kind: 'absent'; readonly why: string }

const cache = fileURLToPath(new URL('../node_modules/.cache/leasehold', import.meta.url))
const installMs = 5 * 60_000

/**
 * What is in `bin` is to be started by the `python` there: scripts name it by the path it was
 * installed under, which is another.
 */
export async function pythonEnvironment(
  name: string,
  packages: readonly string[],
): Promise<PythonEnvironment> {
  // Another list is another environment.
  const home = join(cache, `${name}-${fnv1a(packages.join())}`)
  const ready = { kind: 'ready', bin: join(home, 'bin') } as const
  if (existsSync(home)) return ready
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(join(cache, 'python-'))
  try {
    await install(draft, packages)
    // Half an environment would pass for a whole one next time.
    await rename(draft, home)
    return ready
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Two may install at once; whoever is second finds the folder there.
    if (existsSync(home)) return ready
    return { kind: 'absent', why: lastWords(error) }
  }
}

async function install(home: string, packages: readonly string[]): Promise<void> {
  const run = promisify(execFile)
  await run('python3', ['-m', 'venv', home], { timeout: installMs })
  const pip = ['-m', 'pip', 'install', '--quiet', ...packages]
  await run(join(home, 'bin', 'python'), pip, { timeout: installMs })
}
