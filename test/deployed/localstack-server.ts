/**
 * LocalStack 4.14 from PyPI as a process of this machine. What it would download when it starts
 * is made here: its DynamoDB comes from Maven, its image of the runtime and its Lambda init are ours.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  cacheFolder,
  failureReason,
  installOnce,
  pythonEnvironment,
} from '../../local/emulators/python-environment.ts'
import { CannotSetUp, needDebian } from './docker-engine.ts'

/** Its pins are those with which this version was seen to start. */
const packages = [
  'localstack-core[runtime]==4.14.0',
  'cbor2<6',
  'pyopenssl==25.3.0',
  'cryptography==46.0.7',
  'service_identity==24.2.0',
]
/** The version of its init that this LocalStack looks for. */
const INIT_VERSION = 'v0.1.41-pre'
const DYNAMODB_LOCAL_VERSION = '3.1.0'
const RUNNER = 'software.amazon.dynamodb.services.local.main.ServerRunner'
const DYNAMODB_PID = 'dynamodb.pid'
const START_MS = 90_000
const STOP_MS = 15_000
const DOWNLOAD_MS = 5 * 60_000

interface LocalStackPlan {
  readonly port: number
  readonly dockerHost: string
  /** This machine, as containers see it. */
  readonly gateway: string
}

export async function startLocalStack({ port, dockerHost, gateway }: LocalStackPlan) {
  const python = await pythonEnvironment('localstack', packages, newPython())
  if (python.kind === 'absent') throw new CannotSetUp(`LocalStack: ${python.why}`)
  const root = mkdtempSync(join(tmpdir(), 'leasehold-localstack-'))
  fillRoot(root, await dynamodbLocal())
  const logFile = join(root, 'log')
  const log = openSync(logFile, 'w')
  const child = spawn(join(python.bin, 'python'), ['-m', 'localstack.runtime.main'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: root,
      TMPDIR: root,
      DOCKER_HOST: dockerHost,
      ...settings({ port, root, gateway }),
    },
    stdio: ['ignore', log, log],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await Promise.race([exited, sleep(STOP_MS)])
    child.kill('SIGKILL')
    endDynamoDB(root)
    rmSync(root, { recursive: true, force: true })
  }
  const endpoint = `http://127.0.0.1:${port}`
  const untilMs = Date.now() + START_MS
  while (Date.now() < untilMs && child.exitCode === null) {
    const health = await fetch(`${endpoint}/_localstack/health`).catch(() => undefined)
    if (health?.ok) return { endpoint, logFile, stop }
    await sleep(200)
  }
  const end = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join('\n')
  await stop()
  throw new CannotSetUp(`LocalStack does not start: ${end}`)
}

/** LocalStack ends it, unless it was killed itself. */
function endDynamoDB(root: string): void {
  const pidFile = join(root, DYNAMODB_PID)
  if (existsSync(pidFile))
    spawnSync('kill', ['-9', readFileSync(pidFile, 'utf8').trim()], { stdio: 'ignore' })
}

/** Closed to the outside: it listens on loopback and on the bridge only. */
const settings = ({ port, root, gateway }: { port: number; root: string; gateway: string }) => ({
  GATEWAY_LISTEN: `127.0.0.1:${port},${gateway}:${port}`,
  LOCALSTACK_HOST: `localhost.localstack.cloud:${port}`,
  OVERRIDE_IN_DOCKER: '0',
  FILESYSTEM_ROOT: root,
  DOCKER_CMD: join(root, 'docker'),
  HOSTNAME_FROM_LAMBDA: gateway,
  LAMBDA_IGNORE_ARCHITECTURE: '1',
  DYNAMODB_IN_MEMORY: '1',
  // Streams of DynamoDB Local itself; the usual ones need a Kinesis that is one more download.
  PROVIDER_OVERRIDE_DYNAMODB: 'v2',
  PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
  DNS_ADDRESS: '0',
  DISABLE_EVENTS: '1',
  SKIP_SSL_CERT_DOWNLOAD: '1',
})

/** LocalStack needs 3.12; the machine's own may be older, and pyenv keeps others beside it. */
function newPython(): string {
  const others = globSync(join(homedir(), '.pyenv/versions/3.1[2-9]*/bin/python'))
  const isNew = 'import sys; sys.exit(sys.version_info < (3, 12))'
  const found = ['python3', 'python3.13', 'python3.12', ...others.toSorted().reverse()].find(
    (each) => spawnSync(each, ['-c', isNew], { stdio: 'ignore' }).status === 0,
  )
  if (found) return found
  throw new CannotSetUp('LocalStack needs Python 3.12 or newer')
}

/** The folder with the libraries, in the cache. */
async function dynamodbLocal(): Promise<string> {
  await needDebian('java', 'default-jre-headless')
  await needDebian('mvn', 'maven')
  const home = join(cacheFolder, `dynamodb-local-${DYNAMODB_LOCAL_VERSION}`)
  const pom = readFileSync('test/contract/dynamodb-local.pom.xml', 'utf8')
  try {
    await installOnce(home, async (draft) => {
      const file = join(draft, 'pom.xml')
      writeFileSync(file, pom.replace('@VERSION@', DYNAMODB_LOCAL_VERSION))
      const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${join(draft, 'lib')}`]
      const asked = ['-q', '-B', '-f', file, ...goal]
      await promisify(execFile)('mvn', asked, { timeout: DOWNLOAD_MS })
    })
  } catch (error) {
    throw new CannotSetUp(`Maven cannot bring DynamoDB Local: ${failureReason(error)}`)
  }
  return join(home, 'lib')
}

/** What LocalStack takes for installed already. */
function fillRoot(root: string, libraries: string): void {
  const java = spawnSync('sh', ['-c', 'command -v java'], { encoding: 'utf8' }).stdout.trim()
  const docker = spawnSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).stdout.trim()
  const installed = 'usr/lib/localstack'
  const rapid = `${installed}/lambda-runtime/${INIT_VERSION}/x86_64/var/rapid`
  const init = readFileSync(new URL('./lambda-init.ts', import.meta.url), 'utf8')
  const files = {
    [`${rapid}/init`]: '#!/bin/sh\nexec /var/lang/bin/node /var/rapid/init.mjs\n',
    [`${rapid}/init.mjs`]: stripTypeScriptTypes(init),
    [`${installed}/dynamodb-local/2/DynamoDBLocal.jar`]: '',
    // It says `-jar`; Maven brings many files instead of one.
    [`${installed}/java/21/bin/java`]: [
      '#!/bin/sh',
      `echo $$ >${join(root, DYNAMODB_PID)}`,
      'while [ "$1" != -jar ]; do shift; done; shift 2',
      `exec ${java} -Xmx256m -Djava.library.path=${libraries} -cp '${libraries}/*' ${RUNNER} "$@"`,
    ].join('\n'),
    // The image is here and nowhere else, and LocalStack always pulls.
    docker: `#!/bin/sh\n[ "$1" = pull ] && exit 0\nexec ${docker} "$@"\n`,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text, { mode: 0o755 })
  }
}
