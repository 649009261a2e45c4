/**
 * A stand-in for AWS's image of the Node runtime, where no image can be pulled: the machine's C
 * library, this project's Node, AWS's own runtime client. It stands for Amazon Linux on x86_64.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { runtimeArguments } from '../../local/emulators/lambda/runtime-client.ts'

/** As SAM and LocalStack ask for them. */
const tags = ['public.ecr.aws/lambda/nodejs:24-x86_64', 'public.ecr.aws/lambda/nodejs:24'] as const

const BOOTSTRAP = `#!/bin/sh
export AWS_EXECUTION_ENV=AWS_Lambda_nodejs24.x
exec /var/lang/bin/node --import /var/runtime/runtime-http.mjs /var/runtime/index.mjs
`
/** With a Runtime API it runs the runtime; without one, SAM's emulator of that API. */
const ENTRYPOINT = `#!/bin/sh
export _HANDLER="$1"
[ -n "$AWS_LAMBDA_RUNTIME_API" ] && exec /var/runtime/bootstrap
exec /var/rapid/aws-lambda-rie /var/runtime/bootstrap
`

export async function lambdaImage(dockerHost: string, more: ImageFiles = {}): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'leasehold-image-'))
  try {
    await fill(root, more)
    const changes = [
      'ENV PATH=/var/lang/bin:/usr/local/bin:/usr/bin:/bin LAMBDA_TASK_ROOT=/var/task',
      'WORKDIR /var/task',
      'ENTRYPOINT ["/lambda-entrypoint.sh"]',
    ].flatMap((change) => ['-c', change])
    const docker = ['docker', '-H', dockerHost, 'import', ...changes, '-', tags[0]]
    const quoted = docker.map((word) => `'${word}'`).join(' ')
    execFileSync('sh', ['-c', `tar -C ${root} -c . | ${quoted}`], { stdio: 'pipe' })
    execFileSync('docker', ['-H', dockerHost, 'tag', ...tags])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Path in the image -> text of an executable. */
type ImageFiles = Readonly<Record<string, string>>

async function fill(root: string, more: ImageFiles): Promise<void> {
  for (const folder of ['tmp', 'var/task', 'var/rapid', 'opt', 'proc', 'sys', 'dev', 'etc'])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o777 })
  // SAM's build moves and marks its emulator of the Runtime API.
  for (const program of ['sh', 'mv', 'chmod']) copyProgram(root, `/bin/${program}`)
  copyProgram(root, process.execPath, '/var/lang/bin/node')
  const runtime = await runtimeArguments()
  const [, standIn = '', index = ''] = runtime
  const files: ImageFiles = {
    '/var/runtime/index.mjs': readFileSync(index, 'utf8'),
    '/var/runtime/runtime-http.mjs': stripTypeScriptTypes(readFileSync(standIn, 'utf8')),
    '/var/runtime/rapid-client.node': '',
    '/var/runtime/bootstrap': BOOTSTRAP,
    '/lambda-entrypoint.sh': ENTRYPOINT,
    '/etc/nsswitch.conf': 'hosts: files dns\n',
    '/etc/passwd': 'root:x:0:0:root:/:/bin/sh\n',
    ...more,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text, { mode: 0o755 })
  }
}

/** With the libraries it loads, each where the loader looks for it. */
function copyProgram(root: string, program: string, as = program): void {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' })
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
  for (const [from, to] of [[program, as], ...libraries.map((path) => [path, path])] as const) {
    mkdirSync(join(root, dirname(to)), { recursive: true })
    copyFileSync(from, join(root, dirname(to), basename(to)))
  }
}
