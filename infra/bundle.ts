/**
 * Bundles a function for Lambda: one ESM file with the SDK in it, and chunks it loads on demand.
 * The stacks, the cold-start bench and the tests of the bundles all use this.
 */
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync, type Metafile } from 'esbuild'

export const functionNames = ['api', 'monitor', 'notifier'] as const
export type FunctionName = (typeof functionNames)[number]

const root = fileURLToPath(new URL('..', import.meta.url))
const dashboardFiles = join(root, 'dist', 'dashboard')

/** Some CommonJS packages inside the SDK call `require`, which an ESM file has to create itself. */
const REQUIRE_SHIM = [
  "import { createRequire as leaseholdCreateRequire } from 'node:module'",
  'const require = leaseholdCreateRequire(import.meta.url)',
].join(';')

export interface Bundle {
  readonly folder: string
  readonly file: string
  /** What a cold start loads; chunks that are imported on demand do not count. */
  readonly initFiles: readonly string[]
  readonly initBytes: number
  /** The source files inside, as paths from the root of the project. */
  readonly sources: readonly string[]
}

export function bundle(name: FunctionName, outdir = join(root, 'dist', 'functions')): Bundle {
  const folder = join(outdir, name)
  rmSync(folder, { recursive: true, force: true })
  const built = bundleFile(join('functions', name, 'handler.ts'), folder)
  // The dashboard lies beside the code and is read when a browser asks, so it costs no cold start.
  if (name === 'api' && existsSync(dashboardFiles))
    cpSync(dashboardFiles, join(folder, 'dashboard'), { recursive: true })
  return built
}

/** Bundles one source file of the project, named from its root, as `index.mjs` in a folder. */
export function bundleFile(source: string, folder: string): Bundle {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: [source],
    entryNames: 'index',
    outExtension: { '.js': '.mjs' },
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    metafile: true,
    legalComments: 'none',
    banner: { js: REQUIRE_SHIM },
    logLevel: 'warning',
  })
  const file = join(folder, 'index.mjs')
  const loaded = loadedWith(metafile, relative(root, file))
  return {
    folder,
    file,
    initFiles: loaded.map((name) => resolve(root, name)),
    initBytes: loaded.reduce((sum, name) => sum + (metafile.outputs[name]?.bytes ?? 0), 0),
    sources: Object.keys(metafile.inputs),
  }
}

function loadedWith({ outputs }: Metafile, entry: string): string[] {
  const loaded = new Set([entry])
  for (const file of loaded)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && path in outputs) loaded.add(path)
  return [...loaded]
}
