/** The suite of each client, in a system of its own to which no other client writes. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pythonEnvironment } from '../../../local/emulators/python-environment.ts'
import { startInProcess } from '../../local-system/in-process.ts'
import { kubeletSuite } from '../kubernetes/kubelet.ts'
import { kubernetesSuite } from '../kubernetes/suite.ts'
import { type Counts, goCounts, type Outcome, unittestCounts, vitestCounts } from './counts.ts'
import { buildChecks, buildKubectl, fetchModules, versionOf } from './go-programs.ts'
import { buildFabric8Checks } from './java-programs.ts'
import { type Ended, type Program, show } from './program.ts'

export interface Suite {
  readonly name: string
  run(): Promise<Outcome>
}

export const suites: readonly Suite[] = [
  { name: 'client-go', run: () => withGo(clientGo) },
  { name: 'python', run: python },
  { name: 'kubectl', run: () => withGo(newestKubectl) },
  { name: 'fabric8', run: fabric8 },
  { name: 'e2e', run: kubernetesSuite },
  { name: 'kubelet', run: kubeletSuite },
]

async function withGo(checks: () => Promise<Counts>): Promise<Outcome> {
  const modules = await fetchModules()
  if (modules.kind === 'absent') return { kind: 'skipped', why: modules.why }
  return { kind: 'ran', ...(await checks()) }
}

async function clientGo(): Promise<Counts> {
  console.log(`client-go ${await versionOf('k8s.io/client-go')}`)
  // Most of them wait for something, so all of them at once.
  const args = ['-test.v', '-test.parallel=20', '-test.timeout=5m']
  return goCounts(await atSystem({ command: await buildChecks(), args, noise: /^=== / }))
}

async function python(): Promise<Outcome> {
  const environment = await pythonEnvironment('kubernetes', ['kubernetes>=37,<38'])
  if (environment.kind === 'absent') return { kind: 'skipped', why: environment.why }
  const folder = fileURLToPath(new URL('../python', import.meta.url))
  const args = ['-B', '-m', 'unittest', 'discover', '-v', '-s', folder]
  const ended = await atSystem({ command: join(environment.bin, 'python'), args })
  return { kind: 'ran', ...unittestCounts(ended) }
}

async function fabric8(): Promise<Outcome> {
  const checks = await buildFabric8Checks()
  if (checks.kind === 'skipped') return checks
  const program = { command: 'java', args: ['-cp', checks.classpath, 'Checks'] }
  return { kind: 'ran', ...unittestCounts(await atSystem(program)) }
}

/** Its transcripts and watches, and its row of the table: the suites that older ones run too. */
async function newestKubectl(): Promise<Counts> {
  const KUBECTL = await buildKubectl(await versionOf('k8s.io/kubectl'))
  const files = ['kubectl', 'kubectl-watch', 'compatibility']
  const paths = files.map((file) => `test/conformance/${file}.test.ts`)
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'conformance', ...paths]
  const env = { KUBECTL, NO_COLOR: '1' }
  return vitestCounts(await show({ command: process.execPath, args, env }))
}

// A silent kubelet is Unknown in seconds. Nodes that never reported have a minute, as ever.
const QUICK = ['--node-monitor-period', '1s', '--node-monitor-grace-period', '6s']

async function atSystem(program: Program): Promise<Ended> {
  const system = await startInProcess('--nodes', '2', ...QUICK)
  try {
    const VIEWER = await system.tokenFor('vera', 'leasehold:viewers')
    const ended = await show({ ...program, env: { KUBECONFIG: system.kubeconfig, VIEWER } })
    for (const error of system.errors) console.log(`in the log of the server: ${error}`)
    return { ...ended, isSuccess: ended.isSuccess && system.errors.length === 0 }
  } finally {
    await system.stop()
  }
}
