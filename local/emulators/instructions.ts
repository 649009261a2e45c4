/** What a command for an emulator leaves for the user: a kubeconfig, variables, what to type next. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepKubeconfig } from '../admin-kubeconfig.ts'
import { openKmsSigner } from '../cli/kms.ts'
import type { Components } from '../components.ts'
import { dataFolder } from '../data-folder.ts'
import type { ServerCertificate } from '../serve/certificates.ts'
import { outputsOf } from './deployment.ts'
import { emulatorVariables } from './emulated-aws.ts'

interface Kubeconfig {
  readonly folder: string
  readonly server: string
  readonly certificate: ServerCertificate
  /** The KMS key that signs for administrators. */
  readonly keyId: string
}

/** Signed by the emulator's KMS, and signed again before its token expires. */
export async function addKubeconfig(running: Components, wanted: Kubeconfig): Promise<void> {
  const { folder, server, certificate, keyId } = wanted
  const signer = () => openKmsSigner({ role: 'admin', keyId })
  const onTrouble = (error: unknown) => console.error(`cannot renew the kubeconfig: ${error}`)
  const plan = { data: dataFolder(folder), signer, server, caPem: certificate.caPem, onTrouble }
  await running.add('kubeconfig', () => keepKubeconfig(plan))
}

interface Guide {
  readonly emulator: string
  readonly endpoint: string
  readonly folder: string
  readonly server: string
  readonly more?: readonly string[]
  /** What the emulator does not do, measured. */
  readonly missing: readonly string[]
  readonly end: string
}

export function printInstructions(guide: Guide): void {
  const { emulator, endpoint, folder, server } = guide
  const { kubeconfig, caCert } = dataFolder(folder)
  const variables = join(folder, 'environment')
  const lines = Object.entries(emulatorVariables(endpoint))
  writeFileSync(variables, lines.map(([name, value]) => `export ${name}=${value}\n`).join(''))
  const said = [
    '',
    `Leasehold answers at ${server}.`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get nodes',
    ...(guide.more ?? []).map((each) => `  ${each}`),
    `  . ${variables}     # points AWS's tools, and ours, at ${emulator}`,
    `  npx --no-install leasehold token bootstrap create --outputs ${outputsOf(folder)}`,
    `  npx node agent/main.ts --server ${server} --ca-file ${caCert} \\`,
    `    --state-dir ${join(folder, 'agent')} --bootstrap-token TOKEN     # this machine as a host`,
    '',
    `What ${emulator} does not do:`,
    ...guide.missing.map((each) => `  - ${each}`),
    '',
    guide.end,
    '',
  ]
  console.log(said.join('\n'))
}
