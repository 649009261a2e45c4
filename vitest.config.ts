import { defineConfig } from 'vitest/config'

// One project per job with a time limit of its own, so `npx vitest run --project unit` is the quick inner loop.
const slow = ['simulation', 'conformance', 'browser', 'agent-e2e', 'contract']
const project = (
  name: string,
  include: string[],
  exclude: string[] = [],
  testTimeout = 10_000,
) => ({
  test: { name, include, exclude, testTimeout, hookTimeout: 60_000 },
})

export default defineConfig({
  test: {
    projects: [
      project(
        'unit',
        ['test/**/*.test.ts'],
        slow.map((folder) => `test/${folder}/**`),
      ),
      project('contract', ['test/contract/**/*.test.ts'], [], 30_000),
      project('simulation', ['test/simulation/**/*.test.ts'], [], 60_000),
      project('conformance', ['test/conformance/**/*.test.ts'], [], 60_000),
      project('agent-e2e', ['test/agent-e2e/**/*.test.ts'], [], 60_000),
      project('browser', ['test/browser/**/*.test.ts'], [], 60_000),
    ],
  },
})
