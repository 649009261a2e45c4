/**
 * Packs the single executable for hosts: a `.deb` and a tarball, with unit and configuration.
 * `npm run build:packages` writes both into dist/; it needs dpkg-deb and what `--sea` needs.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { VERSION } from '../shared/flags/version.ts'

const SOURCE = 'agent/packaging'
const STAGE = 'dist/package'
/** Without the leading v and what tells builds apart; a lane sets another to try an upgrade. */
const version = process.env.PACKAGE_VERSION ?? VERSION.replace(/^v|\+.*$/g, '')
const executable = '/usr/bin/leasehold-agent'

const control = `Package: leasehold-agent
Version: ${version}
Architecture: amd64
Maintainer: Leasehold
Section: net
Priority: optional
Depends: libc6 (>= 2.28), libstdc++6, libgcc-s1
Recommends: ca-certificates
Description: keeps this host known to a Leasehold service
 Registers a Kubernetes Node, renews its Lease every ten seconds, reports
 conditions and runs pods if told to. One executable, without dependencies.
`

/** The unit for a checkout, with the executable instead of Node and the file it runs. */
function unit(): string {
  const options = 'Environment="NODE_OPTIONS=--max-semi-space-size=1 --max-old-space-size=64"'
  const start = `${options}\nExecStart=${executable} --config /etc/leasehold/agent.conf`
  return readFileSync('agent/leasehold-agent.service', 'utf8').replace(/^ExecStart=.*$/m, start)
}

function put(path: string, text: string, mode = 0o644): void {
  const file = join(STAGE, path)
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, text)
  chmodSync(file, mode)
}

function stage(): void {
  rmSync(STAGE, { recursive: true, force: true })
  put('/etc/leasehold/agent.conf', readFileSync(`${SOURCE}/agent.conf`, 'utf8'))
  put('/usr/lib/systemd/system/leasehold-agent.service', unit())
  mkdirSync(join(STAGE, '/usr/bin'), { recursive: true })
  copyFileSync('dist/leasehold-agent', join(STAGE, executable))
  chmodSync(join(STAGE, executable), 0o755)
}

/** For hosts without dpkg: the same files, to be unpacked over /. */
function tarball(): string {
  const file = `dist/leasehold-agent-${version}-linux-x64.tar.gz`
  const owner = ['--owner=0', '--group=0', '--numeric-owner']
  execFileSync('tar', [...owner, '-C', STAGE, '-czf', file, 'etc', 'usr'])
  return file
}

function debianPackage(): string {
  const file = `dist/leasehold-agent_${version}_amd64.deb`
  put('/DEBIAN/control', control)
  put('/DEBIAN/conffiles', '/etc/leasehold/agent.conf\n')
  for (const name of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(SOURCE, name), join(STAGE, 'DEBIAN', name))
    chmodSync(join(STAGE, 'DEBIAN', name), 0o755)
  }
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zxz', '-z1', STAGE, file])
  return file
}

execFileSync(process.execPath, ['agent/build.ts', '--sea'], { stdio: 'inherit' })
stage()
console.log(tarball())
console.log(debianPackage())
rmSync(STAGE, { recursive: true })
