/**
 * AWS's own Node runtime client, which Lambda's Node 24 runs too: it loads the bundle, brings
 * `awslambda`, streams answers and writes logs. Its package compiles an HTTP client in C++ when it
 * is installed; so that no compiler is needed, the package is only unpacked, and runtime-http.ts
 * stands in for that one file.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder, installOnce } from '../python-environment.ts'

const PACKAGE = 'aws-lambda-ric@4.0.2'
const DOWNLOAD_MS = 2 * 60_000
const standIn = fileURLToPath(new URL('./runtime-http.ts', import.meta.url))

/** The arguments with which `node` becomes Lambda's runtime. */
export async function runtimeArguments(): Promise<readonly string[]> {
  const home = join(cacheFolder, PACKAGE)
  await installOnce(home, async (draft) => {
    const run = promisify(execFile)
    const pack = ['pack', PACKAGE, '--silent', '--pack-destination', draft]
    const { stdout } = await run('npm', pack, { timeout: DOWNLOAD_MS })
    await run('tar', ['xzf', join(draft, stdout.trim()), '--strip-components=1', '-C', draft])
    await writeFile(join(draft, 'rapid-client.node'), '')
  })
  return ['--import', standIn, join(home, 'index.mjs')]
}
