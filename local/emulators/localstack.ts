/** `npm run localstack`: both stacks in a LocalStack that runs already; functions in its containers. */
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import {
  flag,
  flagUsages,
  HELP_FLAG,
  parseFlags,
  stringFlag,
  stringFlags,
  UsageError,
  wholeFlag,
} from '../../shared/flags/flag-set.ts'
import type { Components } from '../components.ts'
import { type ServerCertificate, serverCertificate } from '../serve/certificates.ts'
import { listen } from '../serve/https-server.ts'
import { keepRunning } from './command.ts'
import { deploy, EMULATED_STAGE, functionTemplates, nameServer, synthesize } from './deployment.ts'
import { callLambda, useEmulator } from './emulated-aws.ts'
import { addKubeconfig, printInstructions } from './instructions.ts'
import { contextFlag, stackOptions } from './stack-options.ts'
import { useArchitecture } from './template.ts'

/** The last version that starts without an account; later ones want a token. */
const IMAGE = 'localstack/localstack:4.14.0'
const START = `docker run --rm -p 127.0.0.1:4566:4566 -v /var/run/docker.sock:/var/run/docker.sock ${IMAGE}`

const flags = {
  endpoint: flag('URL', 'where LocalStack answers', 'http://127.0.0.1:4566'),
  'api-port': flag('N', 'HTTPS port of the api on loopback; 0 takes a free one', '6443'),
  data: flag('DIR', 'where kubeconfig, outputs and logs are written', '.leasehold/localstack'),
  context: contextFlag,
  help: HELP_FLAG,
}

const help = `Deploys both stacks into a LocalStack that is running, and keeps the monitor going
until Ctrl-C.

Usage: npm run localstack -- [OPTIONS]

${flagUsages(flags)}

Start LocalStack first; a later image wants a token of your account (-e LOCALSTACK_AUTH_TOKEN=...):

  ${START}
`

/** Known to be missing, as measured with 4.14.0. */
const missing = [
  'its Scheduler never fires: this command starts the monitor once a minute instead',
  'streaming: "kubectl get --watch" shows nothing until the watch ends, after five minutes',
  'IAM (every call is allowed), throttling, alarms, removal of expired items',
]

interface Options {
  readonly endpoint: string
  readonly apiPort: number
  readonly folder: string
  readonly context: readonly string[]
}

function readOptions(argv: readonly string[]): Options | undefined {
  const { values } = parseFlags(flags, argv)
  if (values.help) return undefined
  const text = (name: 'endpoint' | 'api-port' | 'data') =>
    stringFlag(values[name]) ?? flags[name].default ?? ''
  const { context } = stackOptions(stringFlags(values.context), {
    'ingress=http-api': 'gets no address in LocalStack: leave it out, or use "npm run sam"',
  })
  return {
    endpoint: text('endpoint').replace(/\/$/, ''),
    apiPort: wholeFlag('api-port', text('api-port'), 65_535),
    folder: text('data'),
    context,
  }
}

async function needLocalStack(endpoint: string): Promise<void> {
  const health = (path: string) => fetch(`${endpoint}${path}`).catch(() => undefined)
  if ((await health('/_ministack/health'))?.ok)
    throw new UsageError(`${endpoint} is MiniStack: stop it, or use "npm run ministack"`)
  if (!(await health('/_localstack/health'))?.ok)
    throw new UsageError(`no LocalStack answers at ${endpoint}: start one with\n  ${START}`)
}

/** Over https, because kubectl sends no credentials to a plain http server. */
async function serveApi(
  running: Components,
  { endpoint, apiPort }: Options,
  apiUrl: string,
  { keyPem, certPem }: ServerCertificate,
): Promise<string> {
  const { hostname, port } = new URL(endpoint)
  const { host } = new URL(apiUrl)
  const server = createServer({ key: keyPem, cert: certPem }, (asked, answer) => {
    // LocalStack tells functions apart by the name of the host, which few name servers know.
    const { method, url: path } = asked
    const options = { hostname, port, method, path, headers: { ...asked.headers, host } }
    const onward = request(options, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  const listening = await running.add('api', () => listen(server, apiPort))
  return `https://127.0.0.1:${listening.port}`
}

const EVERY_MS = 60_000

/** As the Scheduler would: a start that fails is worth nothing, the next minute brings another. */
function keepMonitorGoing(endpoint: string) {
  const path = `leasehold-${EMULATED_STAGE}-monitor/invocations`
  const headers = { 'x-amz-invocation-type': 'Event' }
  const start = () =>
    callLambda(endpoint, path, { method: 'POST', body: '{}', headers }).catch((error: Error) =>
      console.error(`the monitor does not start: ${error.message}`),
    )
  void start()
  const timer = setInterval(start, EVERY_MS)
  return { stop: async () => clearInterval(timer) }
}

await keepRunning(async (running) => {
  const options = readOptions(process.argv.slice(2))
  if (!options) {
    console.log(help)
    return { ended: Promise.resolve(undefined) }
  }
  const { endpoint, folder, context } = options
  await needLocalStack(endpoint)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  useEmulator(endpoint)
  const deployment = { endpoint, context, folder }
  console.log('synthesising both stacks')
  await synthesize(deployment)
  for (const template of functionTemplates(folder)) useArchitecture(template)
  console.log('deploying them, which takes a minute')
  const outputs = await deploy(deployment)
  const certificate = await serverCertificate(folder, Date.now())
  const server = await serveApi(running, options, outputs.ApiUrl ?? '', certificate)
  nameServer(folder, server)
  await addKubeconfig(running, { folder, server, certificate, keyId: outputs.AdminKeyId ?? '' })
  await running.add('monitor', () => keepMonitorGoing(endpoint))
  const end = 'The monitor is started again every minute while this runs. Stop with Ctrl-C.'
  printInstructions({ emulator: 'LocalStack', endpoint, folder, server, missing, end })
  return {}
})
