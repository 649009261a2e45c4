/** Builds the page: files with hashed names, and beside each its brotli and gzip forms. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const builtFolder = fileURLToPath(new URL('../dist/dashboard', import.meta.url))

const COMPRESSIBLE = /\.(html|js|css|svg)$/

export async function buildDashboard(outDir = builtFolder): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The policy of the page allows no inline script and no data: style; files are cached for
      // ever anyway.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // On a busy machine the bundler would warn that its own plugins are slow.
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  })
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' }))
    if (COMPRESSIBLE.test(name)) compress(join(outDir, name))
}

/** For local mode from a checkout: builds when a source is newer than what was built. */
export async function buildWhenStale(): Promise<void> {
  const built = join(builtFolder, 'index.html')
  const builtAtMs = existsSync(built) ? statSync(built).mtimeMs : 0
  const isNewer = (name: string) => statSync(join(root, name)).mtimeMs > builtAtMs
  if (readdirSync(root, { recursive: true, encoding: 'utf8' }).some(isNewer)) await buildDashboard()
}

function compress(file: string): void {
  const bytes = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}

if (import.meta.main) await buildDashboard()
