/**
 * `npm run test:prometheus`: a real Prometheus scrapes local mode with one dead host, by the
 * configuration that docs/monitoring gives; promtool accepts the rules, every query of the board
 * has series, and the alert about silent hosts fires.
 */
import { deepEqual, match } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse, stringify } from 'yaml'
import { cacheFolder } from '../../local/emulators/python-environment.ts'
import { askControl, controlSocketIn } from '../../local/hosts/control-socket.ts'
import { CannotSetUp } from '../deployed/docker-engine.ts'
import { lane } from '../deployed/lane.ts'
import { eventually } from '../eventually.ts'
import { endProcess, startLocalProcess } from '../local-system/child-process.ts'

const DOCS = 'docs/monitoring'
const RULES = resolve(DOCS, 'leasehold.rules.yml')
const WITHIN_MS = 90_000
/** So that the lane need not wait for the minutes that suit a fleet. */
const SCRAPE = '1s'

await lane('test:prometheus', async ({ add }) => {
  const { prometheus, promtool } = programs()
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-prometheus-'))
  await add('folder', () => ({ stop: async () => rmSync(folder, { recursive: true }) }))
  match(execFileSync(promtool, ['check', 'rules', RULES], { encoding: 'utf8' }), /rules found/)

  const fleet = ['--nodes', '6', '--zones', '3']
  const service = startLocalProcess(
    folder,
    ...fleet,
    '--node-monitor-grace-period',
    '4s',
    '--node-monitor-period',
    '1s',
  )
  await add('local mode', () => ({ stop: async () => void (await endProcess(service.child)) }))
  const target = new URL(await service.address()).host

  const config = join(folder, 'prometheus.yml')
  writeFileSync(join(folder, 'token'), viewerToken(folder), { mode: 0o600 })
  writeFileSync(config, stringify(documentedConfig(folder, target)))
  match(execFileSync(promtool, ['check', 'config', config], { encoding: 'utf8' }), /SUCCESS/)
  const server = await add('prometheus', () => startPrometheus(prometheus, folder, config))

  await eventually(
    'the scrape succeeds',
    async () => (await series(server.url, 'up == 1')) > 0,
    WITHIN_MS,
  )
  await eventually(
    'six hosts are ready',
    async () => (await series(server.url, 'leasehold_nodes{state="ready"} == 6')) > 0,
    WITHIN_MS,
  )
  await askControl(controlSocketIn(folder), 'stop', 'host-1')
  for (const query of boardQueries()) {
    await eventually(
      `series for ${query}`,
      async () => (await series(server.url, query)) > 0,
      WITHIN_MS,
    )
  }
  const unknown = 'ALERTS{alertname="LeaseholdNodeUnknown"}'
  await eventually(
    'the alert is pending',
    async () => (await series(server.url, unknown)) > 0,
    WITHIN_MS,
  )
  deepEqual(await unhealthyRules(server.url), [])
})

/** Debian's package, unpacked into a folder of its own: nothing is installed, no daemon starts. */
function programs() {
  const home = join(cacheFolder, 'prometheus')
  const bin = join(home, 'usr/bin')
  if (!existsSync(join(bin, 'promtool'))) {
    mkdirSync(home, { recursive: true })
    try {
      execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
      execFileSync('apt-get', ['download', '-qq', 'prometheus'], { cwd: home, stdio: 'ignore' })
      execFileSync('sh', ['-c', 'dpkg -x prometheus_*.deb .'], { cwd: home, stdio: 'ignore' })
    } catch {
      throw new CannotSetUp('apt-get cannot bring prometheus')
    }
  }
  return { prometheus: join(bin, 'prometheus'), promtool: join(bin, 'promtool') }
}

function viewerToken(folder: string): string {
  return execFileSync(
    process.execPath,
    [
      'local/cli/main.ts',
      'token',
      'create',
      '--user',
      'prometheus',
      '--group',
      'leasehold:viewers',
      '--data',
      folder,
    ],
    { encoding: 'utf8' },
  ).trim()
}

/** The block of docs/monitoring/README.md, with this run's files, address and pace. */
function documentedConfig(folder: string, target: string): object {
  const [, block = ''] =
    /```yaml\n([\s\S]*?)```/.exec(readFileSync(`${DOCS}/README.md`, 'utf8')) ?? []
  const config = parse(block)
  const [job] = config.scrape_configs
  job.authorization.credentials_file = join(folder, 'token')
  job.tls_config.ca_file = join(folder, 'ca.crt')
  job.static_configs = [{ targets: [target] }]
  return {
    ...config,
    global: { scrape_interval: SCRAPE, evaluation_interval: SCRAPE },
    rule_files: [RULES],
  }
}

async function startPrometheus(program: string, folder: string, config: string) {
  let said = ''
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk
    })
  const address = () => /address=(127\.0\.0\.1:[1-9]\d*)/.exec(said)?.[1]
  await eventually(
    () => `prometheus listens; it said ${said}`,
    () => address() !== undefined,
    WITHIN_MS,
  )
  return { url: `http://${address()}`, stop: async () => void (await endProcess(child)) }
}

async function ask(url: string, path: string) {
  return (await (await fetch(new URL(path, url))).json()) as { readonly data?: never }
}

/** How many series a query has that are numbers: a quantile of nothing is NaN. */
async function series(url: string, query: string): Promise<number> {
  const { data = { result: [] } } = await ask(
    url,
    `/api/v1/query?query=${encodeURIComponent(query)}`,
  )
  const { result } = data as { result: readonly { value: readonly [number, string] }[] }
  return result.filter(({ value: [, text] }) => text !== 'NaN').length
}

async function unhealthyRules(url: string): Promise<readonly string[]> {
  const { data = { groups: [] } } = await ask(url, '/api/v1/rules')
  const { groups } = data as {
    groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[]
  }
  return groups
    .flatMap(({ rules }) => rules)
    .filter(({ health }) => health !== 'ok')
    .map(({ name, lastError }) => `${name}: ${lastError}`)
}

function boardQueries(): readonly string[] {
  const board = JSON.parse(readFileSync(`${DOCS}/leasehold-dashboard.json`, 'utf8')) as {
    panels: readonly { targets: readonly { expr: string }[] }[]
  }
  return board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}
