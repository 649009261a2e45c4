/** Real kubectl, the newest that can be had here. */
import { it } from 'vitest'
import { oldestAndNewest } from './kubectl/binaries.ts'
import { transcriptSuite } from './kubectl/suite.ts'

const newest = (await oldestAndNewest()).at(-1)
if (newest) transcriptSuite(newest)

it('has a kubectl to run', ({ skip }) => {
  skip(!newest, 'no kubectl here: install kubernetes-client')
})
