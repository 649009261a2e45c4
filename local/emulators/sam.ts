/**
 * `npm run sam`: the api in Lambda's own container behind SAM's API Gateway, on tables and keys of
 * an emulator that runs already.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { flag, flagUsages, UsageError } from '../../shared/flags/flag-set.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { openKmsSigner } from '../cli/kms.ts'
import type { Components } from '../components.ts'
import { writePrivate } from '../private-file.ts'
import { type ServerCertificate, serverCertificate } from '../serve/certificates.ts'
import { keepRunning, needTool, projectFolder } from './command.ts'
import { assemblyOf, EMULATED_STAGE, outputsOf, synthesize } from './deployment.ts'
import { bridgeEndpoint, dockerArchitecture } from './docker.ts'
import { emulatorVariables, useEmulator } from './emulated-aws.ts'
import { addKubeconfig, printInstructions } from './instructions.ts'
import { pythonEnvironment } from './python-environment.ts'
import { writeSamTemplate } from './template.ts'

const SAM_VERSION = '1.170.0'
const NAME = `leasehold-${EMULATED_STAGE}`
/** By alias: CloudFormation is not here to fill in what the keys are called. */
const keys = { node: `alias/${NAME}-node`, admin: `alias/${NAME}-admin` }

const flags = {
  endpoint: flag('URL', 'the emulator with the tables and keys', 'http://127.0.0.1:4566'),
  port: flag('N', 'HTTPS port of the api on loopback', '3000'),
  data: flag('DIR', 'where kubeconfig, outputs and template are written', '.leasehold/sam'),
}

const help = `Serves the api with "sam local start-api", on the tables and keys of "npm run ministack" or
"npm run localstack", which must be running.

Usage: npm run sam -- [OPTIONS] [options of "sam local start-api"]

${flagUsages(flags)}
`

const missing = [
  'the monitor and the notifier: those of the emulator with the tables judge and tell',
  'streaming: the HTTP API gives whole answers, so there is no watch (kubectl get --watch fails)',
  'IAM, throttling, and more than a few requests at once',
]

interface Options {
  readonly endpoint: string
  readonly port: string
  readonly folder: string
  /** What SAM is given besides. */
  readonly more: readonly string[]
}

/** Ours are taken out; whatever else is given is SAM's to understand. */
function readOptions(argv: readonly string[]): Options | undefined {
  const own: Record<string, string> = {}
  const more: string[] = []
  const given = argv.flatMap((each) =>
    /^--[a-z-]+=/.test(each) ? each.split(/=(.*)/s, 2) : [each],
  )
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? ''
    if (word === '--help' || word === '-h') return undefined
    const name = /^--(endpoint|port|data)$/.exec(word)?.[1]
    if (name === undefined) more.push(word)
    else {
      at += 1
      own[name] = given[at] ?? ''
    }
  }
  const text = (name: keyof typeof flags) => own[name] ?? flags[name].default ?? ''
  const port = text('port')
  if (!/^[1-9]\d{0,4}$/.test(port)) throw new UsageError(`--port ${port}: give a port number`)
  return { endpoint: text('endpoint').replace(/\/$/, ''), port, folder: text('data'), more }
}

/** Asks for a key by its alias, which tells at once whether the stacks are there. */
async function needStacks(endpoint: string): Promise<void> {
  const answer = await fetch(endpoint).catch(() => undefined)
  if (!answer)
    throw new UsageError(`nothing answers at ${endpoint}: start "npm run ministack" beside this`)
  try {
    await openKmsSigner({ role: 'admin', keyId: keys.admin })
  } catch (error) {
    const why = `${endpoint} has no ${keys.admin} (${(error as Error).message})`
    throw new UsageError(`${why}: start "npm run ministack" or "npm run localstack" beside this`)
  }
}

/** The program and the words it is called with. */
async function samCommand(): Promise<readonly [string, ...string[]]> {
  if (!spawnSync('sam', ['--version']).error) return ['sam']
  console.log('getting SAM from PyPI (the first time only)')
  const python = await pythonEnvironment('sam', [`aws-sam-cli==${SAM_VERSION}`])
  if (python.kind === 'ready') return [join(python.bin, 'python'), join(python.bin, 'sam')]
  throw new UsageError(
    `this needs sam, which is not installed (pip install aws-sam-cli): ${python.why}`,
  )
}

/** Beside the assets, because SAM looks for code from where the template is. */
async function writeTemplate({ endpoint, folder }: Options, containerEndpoint: string) {
  await synthesize({ endpoint, folder, context: ['ingress=http-api'] })
  const to = join(assemblyOf(folder), 'sam.template.json')
  writeSamTemplate({
    from: join(assemblyOf(folder), `${NAME}-api.template.json`),
    to,
    functionName: `${NAME}-api-http`,
    architecture: dockerArchitecture(),
    variables: {
      ...emulatorVariables(containerEndpoint),
      LEASEHOLD_NODE_KEY_ID: keys.node,
      LEASEHOLD_ADMIN_KEY_ID: keys.admin,
    },
  })
  return to
}

function startSam(
  [program, ...words]: readonly [string, ...string[]],
  { port, folder, more }: Options,
  template: string,
  { certPem, keyPem }: ServerCertificate,
) {
  const files = { cert: join(folder, 'server.crt'), key: join(folder, 'server.key') }
  writePrivate(files.cert, certPem)
  writePrivate(files.key, keyPem)
  const tls = ['--ssl-cert-file', files.cert, '--ssl-key-file', files.key]
  const host = ['--add-host', 'host.docker.internal:host-gateway']
  const warm = more.includes('--warm-containers') ? [] : ['--warm-containers', 'LAZY']
  const args = [
    'local',
    'start-api',
    '--template',
    template,
    '--port',
    port,
    ...tls,
    ...host,
    ...warm,
  ]
  // A variable of SAM's own environment wins over the template's, and this one names another place.
  const { AWS_ENDPOINT_URL: _ofThisProcess, ...env } = process.env
  const child = spawn(program, [...words, ...args, ...more], {
    cwd: projectFolder,
    env: { ...env, SAM_CLI_TELEMETRY: '0' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exited = once(child, 'exit')
  return {
    ended: exited.then(([code]) => `sam ended with ${code}`),
    async stop() {
      // Ctrl-C is what makes it remove its containers.
      child.kill('SIGINT')
      await exited
    },
  }
}

const START_MS = 5 * 60_000

async function answersOk(url: string, ca: string): Promise<void> {
  const untilMs = Date.now() + START_MS
  while (Date.now() < untilMs) {
    const status = await new Promise((resolve) => {
      get(url, { ca }, (response) => resolve(response.resume().statusCode)).on('error', resolve)
    })
    if (status === 200) return
    await sleep(500)
  }
  throw new Error(`the api does not answer at ${url}: what SAM said above tells why`)
}

function writeSamOutputs(folder: string, server: string): void {
  const { leases, objects } = tableNames(NAME)
  const outputs = {
    Stage: EMULATED_STAGE,
    ApiUrl: server,
    LeasesTable: leases,
    ObjectsTable: objects,
    NodeKeyId: keys.node,
    AdminKeyId: keys.admin,
  }
  writeFileSync(outputsOf(folder), `${JSON.stringify({ [NAME]: outputs }, undefined, 2)}\n`)
}

async function start(running: Components, options: Options) {
  const { endpoint, folder } = options
  needTool('docker', 'https://docs.docker.com/get-docker')
  dockerArchitecture()
  useEmulator(endpoint)
  await needStacks(endpoint)
  const sam = await samCommand()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  console.log('synthesising the stacks with an HTTP API')
  const template = await writeTemplate(options, await bridgeEndpoint(running, endpoint))
  const certificate = await serverCertificate(folder, Date.now())
  const { ended } = await running.add('sam', () => startSam(sam, options, template, certificate))
  const server = `https://127.0.0.1:${options.port}`
  const broken = ended.then((why) => Promise.reject(new Error(why)))
  await Promise.race([answersOk(`${server}/healthz`, certificate.caPem), broken])
  writeSamOutputs(folder, server)
  await addKubeconfig(running, { folder, server, certificate, keyId: keys.admin })
  const end = 'Stop with Ctrl-C.'
  printInstructions({ emulator: 'SAM', endpoint, folder, server, missing, end })
  return { ended }
}

await keepRunning(async (running) => {
  const options = readOptions(process.argv.slice(2))
  if (options) return await start(running, options)
  console.log(help)
  return { ended: Promise.resolve(undefined) }
})
