/** Real kubectl, the oldest that can be had here, unless there is only one. */
import { it } from 'vitest'
import { oldestAndNewest } from './kubectl/binaries.ts'
import { transcriptSuite } from './kubectl/suite.ts'

const [oldest, newest] = await oldestAndNewest()
if (oldest && newest) transcriptSuite(oldest)

it('has an older kubectl to run', ({ skip }) => {
  skip(!newest, 'only one kubectl here: the other file runs it')
})
