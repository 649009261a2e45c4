/**
 * Programs from PyPI need Python and a package index, which not every machine has: the answer is
 * where they are, or why there are none. The first run installs them in a virtual environment (a
 * minute or two), later runs find them.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fingerprint } from '../../shared/kube/fnv.ts'
import { projectFolder } from './command.ts'

type PythonEnvironment =
  | { readonly kind: 'ready'; readonly bin: string }
  | { readonly kind: 'absent'; readonly why: string }

export const cacheFolder = join(projectFolder, 'node_modules/.cache/leasehold')
const INSTALL_MS = 5 * 60_000

/** Start scripts in `bin` with the `python` there: the path in their first line is no longer true. */
export async function pythonEnvironment(
  name: string,
  packages: readonly string[],
  python = 'python3',
): Promise<PythonEnvironment> {
  // Another list is another environment.
  const home = join(cacheFolder, `${name}-${fingerprint(packages.join())}`)
  try {
    await installOnce(home, (draft) => install(python, draft, packages))
    return { kind: 'ready', bin: join(home, 'bin') }
  } catch (error) {
    return { kind: 'absent', why: failureReason(error) }
  }
}

/** Renamed when complete: the next run takes any folder it finds for a complete one. */
export async function installOnce(home: string, fill: (draft: string) => Promise<void>) {
  if (existsSync(home)) return
  await mkdir(cacheFolder, { recursive: true })
  const draft = await mkdtemp(join(cacheFolder, 'draft-'))
  try {
    await fill(draft)
    await rename(draft, home)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Two programs may install at once; the second finds the folder there.
    if (!existsSync(home)) throw error
  }
}

async function install(python: string, home: string, packages: readonly string[]): Promise<void> {
  const run = promisify(execFile)
  await run(python, ['-m', 'venv', home], { timeout: INSTALL_MS })
  const own = join(home, 'bin', 'python')
  const pip = async (...args: string[]) =>
    await run(own, ['-m', ...args, '--quiet', ...packages], { timeout: INSTALL_MS })
  try {
    // Much quicker than pip; but pip knows settings of this machine that uv does not.
    await run(own, ['-m', 'pip', 'install', '--quiet', 'uv'], { timeout: INSTALL_MS })
    await pip('uv', 'pip', 'install', '--python', own)
  } catch {
    await pip('pip', 'install')
  }
}

/** Why a program failed: the last line of its stderr, or that it is not installed. */
export function failureReason(error: unknown): string {
  const { code, path, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string }
  if (code === 'ENOENT') return `${path} is not installed`
  return stderr.trim().split('\n').at(-1) || message
}
