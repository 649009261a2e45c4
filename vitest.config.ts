import { defineConfig } from 'vitest/config'

/**
 * One project per job: `npx vitest run --project unit` is the quick inner loop. They run one after
 * the other, because those that meet real time must not share two cores with those that eat them.
 */
const jobs = [
  { name: 'unit', testTimeout: 20_000 },
  { name: 'contract', testTimeout: 60_000 },
  { name: 'simulation', testTimeout: 120_000 },
  { name: 'conformance', testTimeout: 60_000 },
  { name: 'agent-e2e', testTimeout: 60_000 },
  { name: 'browser', testTimeout: 60_000 },
]
const folders = jobs.map(({ name }) => `test/${name}/**`)

export default defineConfig({
  test: {
    // The default leaves a core to the person at the keyboard; most of these tests only wait.
    maxWorkers: 2,
    projects: jobs.map(({ name, testTimeout }, groupOrder) => ({
      test: {
        name,
        testTimeout,
        hookTimeout: 60_000,
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
