/**
 * Builds what is shipped: one file for Node 20 and later, and beside it what turns that into a
 * single executable. `node agent/build.ts` writes dist/leasehold-agent.cjs; `--sea` also writes
 * dist/leasehold-agent and runs it once.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { VERSION } from '../shared/flags/version.ts'
import { bundleOptions } from './bundle.ts'

const OUT = 'dist/leasehold-agent.cjs'
const BINARY = 'dist/leasehold-agent'
/** Marks the place in the Node binary where it looks for an application; a constant of Node's. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

await build({ ...bundleOptions, outfile: OUT })
chmodSync(OUT, 0o755)

mkdirSync('dist', { recursive: true })
const seaConfig = { main: OUT, output: 'dist/sea.blob', disableExperimentalSEAWarning: true }
writeFileSync('dist/sea-config.json', JSON.stringify(seaConfig, undefined, 2))
if (process.argv.includes('--sea')) buildExecutable()

/** Needs the npm package postject, which writes the blob into a copy of this Node. */
function buildExecutable(): void {
  execFileSync(process.execPath, ['--experimental-sea-config', 'dist/sea-config.json'])
  copyFileSync(process.execPath, BINARY)
  chmodSync(BINARY, 0o755)
  const args = [BINARY, 'NODE_SEA_BLOB', 'dist/sea.blob', '--sentinel-fuse', FUSE]
  // Its warnings about sections are not shown; a failure throws.
  execFileSync('npx', ['--no-install', 'postject', ...args], { stdio: 'pipe' })
  verifyExecutable()
}

/** With the blob in the wrong place it would run as a plain Node. */
function verifyExecutable(): void {
  const said = execFileSync(BINARY, ['--version'], { encoding: 'utf8' }).trim()
  if (said !== VERSION) throw new Error(`${BINARY} says "${said}", not ${VERSION}`)
  const mebibytes = Math.round(statSync(BINARY).size / 1024 ** 2)
  console.log(`${BINARY}: ${mebibytes} MiB, says ${said}`)
}
