/**
 * Real kubectl, the oldest and the newest that can be had here. Everything at once: what is typed
 * waits for the server more than for the processor.
 */
import { describe, it } from 'vitest'
import { oldestAndNewest } from './kubectl/binaries.ts'
import { drainSuite } from './kubectl/drain.ts'
import { transcriptSuite } from './kubectl/suite.ts'

const kubectls = await oldestAndNewest()

it('has a kubectl to run', ({ skip }) => {
  skip(kubectls.length === 0, 'no kubectl here: install kubernetes-client')
})

describe.concurrent('kubectl', () => {
  if (kubectls.length > 0) drainSuite(kubectls)
  for (const kubectl of kubectls) transcriptSuite(kubectl)
})
