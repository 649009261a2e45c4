/**
 * Which kubectls can be had here? Those on this machine, and Debian's old one, which is fetched
 * (not installed) where apt can. A suite runs with the oldest and the newest: what both understand,
 * those between do. Or with the one that KUBECTL names: what `npm run test:clients` builds is never
 * picked up by itself, so that `npm test` is the same before and after.
 */
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, realpathSync, renameSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Kubectl {
  readonly path: string
  /** 20 for 1.20.2. */
  readonly minor: number
  /** `1.20` */
  readonly name: string
}

const CACHE = 'node_modules/.cache/leasehold'
const FETCH_MS = 30_000

export async function kubectls(): Promise<readonly Kubectl[]> {
  const paths = new Set([...installed(), ...(await fromDebian())])
  const found = await known([...paths])
  return found.toSorted((a, b) => a.minor - b.minor)
}

async function known(paths: readonly string[]): Promise<readonly Kubectl[]> {
  const asked = await Promise.all(paths.map(versionOf))
  return asked.filter((each) => each !== undefined)
}

export async function oldestAndNewest(): Promise<readonly Kubectl[]> {
  const { KUBECTL } = process.env
  const all = KUBECTL ? await known([KUBECTL]) : await kubectls()
  return all.length < 2 ? all : [all[0]!, all.at(-1)!]
}

/** The one on the PATH, and the versions some distributions put beside it. */
export function installed(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, 'kubectl')).find((file) => existsSync(file))
  if (!found) return []
  const real = realpathSync(found)
  return [real, ...globSync(join(dirname(real), 'kubectl.1.*'))]
}

async function fromDebian(): Promise<string[]> {
  const folder = join(CACHE, 'debian-kubectl')
  const binary = join(folder, 'usr/bin/kubectl')
  if (existsSync(binary)) return [binary]
  try {
    mkdirSync(CACHE, { recursive: true })
    const draft = mkdtempSync(join(CACHE, 'debian-'))
    const options = { cwd: draft, timeout: FETCH_MS }
    await run('apt-get', ['download', 'kubernetes-client'], options)
    await run('dpkg-deb', ['-x', globSync('*.deb', { cwd: draft })[0]!, '.'], options)
    // Two suites may fetch at once; the second finds the folder there.
    renameSync(draft, folder)
    return [binary]
  } catch {
    // No apt, no net, or not this processor: the suite makes do with what is there.
    return existsSync(binary) ? [binary] : []
  }
}

async function versionOf(path: string): Promise<Kubectl | undefined> {
  try {
    const { stdout } = await run(path, ['version', '--client', '-o', 'json'])
    const { major, minor } = JSON.parse(stdout).clientVersion
    const number = Number.parseInt(minor, 10)
    return { path: realpathSync(path), minor: number, name: `${major}.${number}` }
  } catch {
    return undefined
  }
}
