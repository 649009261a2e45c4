/**
 * Loads sources with their mutants in them, and our recorder wherever a test asks for vitest. To be
 * imported before anything that is to be mutated.
 */
import { globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findMutants, type Mutant } from './find-mutants.ts'
import { withSwitches } from './switches.ts'
import { parseSource, type Source } from './syntax.ts'

export const SWEPT = ['shared/lifecycle', 'functions/monitor', 'shared/auth']
export const sweptFiles = (): readonly string[] =>
  SWEPT.flatMap((room) => globSync(`${room}/**/*.ts`).sort())

export interface SweptSource {
  readonly source: Source
  readonly mutants: readonly Mutant[]
}

export function sweptSources(): ReadonlyMap<string, SweptSource> {
  return new Map(
    sweptFiles().map((file) => {
      const source = parseSource(file, readFileSync(file, 'utf8'))
      return [file, { source, mutants: findMutants(source) }]
    }),
  )
}

const RECORDER = new URL('./recorder.ts', import.meta.url).href

export function loadThroughRecorder(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isAsked = specifier === 'vitest' && context.parentURL !== RECORDER
      return isAsked ? { url: RECORDER, shortCircuit: true } : next(specifier, context)
    },
  })
}

/** `changed` answers with the code of a file that is not loaded as it stands. */
export function loadChanged(changed: (file: string) => string | undefined): void {
  registerHooks({
    load(url, context, next) {
      const isSource = url.startsWith('file:') && url.endsWith('.ts')
      const file = isSource ? relative(process.cwd(), fileURLToPath(url)) : ''
      const source = file === '' ? undefined : changed(file)
      if (source === undefined) return next(url, context)
      return { format: 'module', source, shortCircuit: true }
    },
  })
}

export function loadWithSwitches(
  sources: ReadonlyMap<string, SweptSource>,
  numberOf: (mutant: Mutant) => number,
): void {
  loadChanged((file) => {
    const found = sources.get(file)
    return found && withSwitches(found.source.code, found.mutants, numberOf)
  })
}
