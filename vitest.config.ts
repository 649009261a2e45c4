import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

/**
 * One project per job: `npx vitest run --project unit` is the quick inner loop. Those that eat the
 * processor run before those that meet real time, never beside them. These mostly wait, so more of
 * them run at once.
 */
const jobs = [
  { name: 'unit', testTimeout: 20_000, groupOrder: 0 },
  { name: 'contract', testTimeout: 60_000, groupOrder: 1 },
  { name: 'simulation', testTimeout: 120_000, groupOrder: 2 },
  { name: 'conformance', testTimeout: 60_000, groupOrder: 3, maxWorkers: 3 },
  { name: 'agent-e2e', testTimeout: 60_000, groupOrder: 3, maxWorkers: 3 },
  { name: 'browser', testTimeout: 60_000, groupOrder: 3, maxWorkers: 3 },
]
const folders = jobs.map(({ name }) => `test/${name}/**`)

export default defineConfig({
  test: {
    reporters: ['default', './test/project-seconds.ts'],
    sequence: { sequencer: LongestFirst },
    projects: jobs.map(({ name, testTimeout, groupOrder, maxWorkers = 2 }) => ({
      test: {
        name,
        testTimeout,
        hookTimeout: 60_000,
        maxWorkers,
        setupFiles: ['test/fuzz-seed.ts'],
        sequence: { groupOrder },
        // Pure code needs no world of its own per file; loading it anew each time was most of the wait.
        ...(name === 'unit'
          ? { include: ['test/**/*.test.ts'], exclude: folders, isolate: false }
          : { include: [`test/${name}/**/*.test.ts`] }),
      },
    })),
  },
})
