/** How many passed and failed, in the words of each test runner. */
import type { Ended } from './program.ts'

export interface Counts {
  readonly passed: number
  readonly failed: number
}

/** `skipped`: this machine cannot run it. */
export type Outcome =
  | ({ readonly kind: 'ran' } & Counts)
  | { readonly kind: 'skipped'; readonly why: string }

/** Tests with others below them are the sum of those. */
export function goCounts(ended: Ended): Counts {
  const told = matches(ended, /^ *--- (PASS|FAIL): (\S+)/)
  const leaves = told.filter(
    ([, , name]) => !told.some(([, , other]) => other?.startsWith(`${name}/`)),
  )
  const passed = leaves.filter(([, verdict]) => verdict === 'PASS').length
  return checked(ended, { passed, failed: leaves.length - passed })
}

export function unittestCounts(ended: Ended): Counts {
  const told = matches(ended, /(?:^| \.\.\. )(ok|FAIL|ERROR)$/)
  const passed = told.filter(([, verdict]) => verdict === 'ok').length
  return checked(ended, { passed, failed: told.length - passed })
}

export function vitestCounts(ended: Ended): Counts {
  const [told] = matches(ended, /^ *Tests +(?:(\d+) failed \| )?(?:(\d+) passed)?/)
  const [, failed = 0, passed = 0] = told ?? []
  return checked(ended, { passed: Number(passed), failed: Number(failed) })
}

const matches = ({ lines }: Ended, pattern: RegExp) =>
  lines.map((line) => pattern.exec(line)).filter((found) => found !== null)

/** A runner that ends with an error, or ran no test, has failed, whatever it counted. */
function checked({ isSuccess }: Ended, { passed, failed }: Counts): Counts {
  const isTrusted = isSuccess && passed > 0
  return { passed, failed: isTrusted ? failed : Math.max(failed, 1) }
}
