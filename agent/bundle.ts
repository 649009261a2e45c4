/** How the agent becomes one file: everything in it, nothing beside it but Node. */

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
