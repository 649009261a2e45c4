/** How the agent becomes one file. Apart from `build.ts`, so that tests can bundle in memory. */
import type { BuildOptions } from 'esbuild'

export const bundleOptions: BuildOptions = {
  entryPoints: ['agent/main.ts'],
  bundle: true,
  platform: 'node',
  // A single executable takes CommonJS only, so the plain file is that as well.
  format: 'cjs',
  target: 'node20',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
}
