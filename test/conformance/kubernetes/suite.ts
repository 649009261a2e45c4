/**
 * Kubernetes' own tests of what is served here, against local mode. Every spec passes, or is named below
 * with why it cannot; one that passes all the same is a mistake in that list.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfigText } from '../../../shared/kube/kubeconfig.ts'
import { startInProcess } from '../../local-system/in-process.ts'
import type { Outcome } from '../clients/counts.ts'
import { show } from '../clients/program.ts'
import { built, VERSION } from './binary.ts'
import { type Spec, writeSpecs } from './page.ts'
import { startPlainNodes } from './plain-nodes.ts'
import { startSetUpProxy } from './set-up-proxy.ts'

const FOCUS = [
  String.raw`\[sig-node\] Lease `,
  String.raw`\[sig-node\] NodeLease`,
  String.raw`\[sig-node\] Node Lifecycle`,
  String.raw`\[sig-node\] RuntimeClass should support RuntimeClasses API`,
  String.raw`\[sig-instrumentation\] Events`,
  String.raw`\[sig-api-machinery\] Namespaces`,
  'OrderedNamespaceDeletion',
  String.raw`\[sig-api-machinery\] Discovery`,
  'server version',
  'FieldValidation',
  'Table transformation',
  String.raw`\[sig-architecture\] Conformance Tests`,
  String.raw`\[sig-storage\] CSINodes`,
  'lifecycle of a CSIDriver',
]

/** Not run, by a part of the name. */
const LEFT_OUT: readonly (readonly [string, string])[] = [
  [
    'Custom resource should have storage version hash',
    'needs custom resources; without them it returns before its first check, and would count as passed',
  ],
  ['chunks of table results', 'needs PodTemplates, and ends the whole suite where there are none'],
  [
    'of 100 namespaces',
    'minutes long; a tick empties what half a second allows, so on a busy machine it takes more than 150 s',
  ],
]

/** Why a spec cannot pass here, by a part of its name. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/FieldValidation .* typed object/, 'needs Deployments'],
  [/FieldValidation/, 'needs custom resources'],
  [/Discovery should accurately/, 'needs Deployments'],
  [
    /Discovery should locate/,
    'needs every group of a cluster, such as admissionregistration.k8s.io',
  ],
  [/should return pod details/, 'needs pods in protobuf'],
  [/all pods are removed|delete pod first/, 'needs a scheduler, and pods in protobuf'],
]

interface SpecReport {
  readonly ContainerHierarchyTexts?: readonly string[] | null
  readonly LeafNodeType: string
  readonly LeafNodeText: string
  readonly State: string
  readonly Failure?: { readonly Message?: string }
}

export async function kubernetesSuite(): Promise<Outcome> {
  const binary = await built('e2e.test')
  if (binary.kind === 'skipped') return binary
  console.log(`e2e.test ${VERSION}`)
  const specs = await run(binary.path)
  const mistakes = specs.filter(({ isPassed, why }) => isPassed === (why !== undefined))
  for (const { name, isPassed } of mistakes)
    console.log(`${isPassed ? 'passed, though listed as one that cannot' : 'failed'}: ${name}`)
  if (process.env.RECORD && mistakes.length === 0) writeSpecs(VERSION, specs, LEFT_OUT)
  const passed = specs.filter(({ isPassed }) => isPassed).length
  return { kind: 'ran', passed, failed: Math.max(mistakes.length, passed > 0 ? 0 : 1) }
}

async function run(path: string): Promise<readonly Spec[]> {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-e2e-'))
  const system = await startInProcess('--default-lease-holders', 'unchecked')
  const nodes = await startPlainNodes(system.http, ['plain-1', 'plain-2'])
  const proxy = await startSetUpProxy(system)
  // Kept, to look into a failure.
  const report = `${path}.report.json`
  const kubeconfig = join(folder, 'kubeconfig')
  const auth = { token: 'added-by-the-proxy' }
  const facts = { server: proxy.url, ca: undefined, user: 'suite', auth }
  await writeFile(kubeconfig, kubeconfigText(facts))
  await system.http.call('POST', '/api/v1/namespaces/default/services', { body: apiService })
  try {
    await show({
      command: path,
      args: [
        ...[`--kubeconfig=${kubeconfig}`, '--provider=skeleton', '--disable-log-dump'],
        ...[`--ginkgo.focus=${FOCUS.join('|')}`, '--ginkgo.timeout=14m', '--ginkgo.no-color'],
        `--ginkgo.skip=${LEFT_OUT.map(([part]) => part).join('|')}`,
        ...[`--ginkgo.json-report=${report}`, '--ginkgo.silence-skips', '--ginkgo.succinct'],
      ],
      noise: /^\s*$|^ *[A-Z]\d{4} |INFO: |STEP: /,
    })
    return await specsIn(report)
  } finally {
    proxy.stop()
    nodes.stop()
    await system.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** By which the suite learns whether the cluster speaks IPv4 or IPv6. */
const apiService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIP: '192.0.2.1', ports: [{ name: 'https', port: 443 }] },
}

async function specsIn(report: string): Promise<readonly Spec[]> {
  const [suite] = JSON.parse(await readFile(report, 'utf8')) as {
    readonly SpecReports: readonly SpecReport[]
  }[]
  const ran = suite?.SpecReports.filter(
    ({ LeafNodeType, State }) =>
      LeafNodeType === 'It' && State !== 'skipped' && State !== 'pending',
  )
  return (ran ?? []).map(specOf).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function specOf({ ContainerHierarchyTexts, LeafNodeText, State, Failure }: SpecReport): Spec {
  const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ')
  const [, why] = REASONS.find(([part]) => part.test(name)) ?? []
  const isPassed = State === 'passed'
  if (!isPassed) console.log(`${name}\n  ${Failure?.Message?.slice(0, 600)}`)
  return { name, isPassed, ...(why !== undefined && { why }) }
}
