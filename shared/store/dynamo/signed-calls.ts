/** The calls that a beat makes, and the reads it rests on, by requests of our own. */
import type { GetItemCommandOutput, UpdateItemCommandOutput } from '@aws-sdk/client-dynamodb'
import { signedCall } from '../aws/signed-call.ts'
import type { Site } from '../aws/site.ts'
import { lazily } from '../lazily.ts'
import type { Clock } from '../stamps.ts'
import { type Calls, type Consumed, type OnUsage, usages } from './calls.ts'
import type { ClockGuard } from './clock-guard.ts'
import { attemptMs } from './persistence.ts'

export interface SignedOptions {
  readonly clock: Clock
  readonly guard: ClockGuard
  readonly onUsage?: OnUsage
}

export function signedCalls(
  site: () => Promise<Site>,
  { clock, guard, onUsage }: SignedOptions,
): Pick<Calls, 'getItem' | 'updateItem'> {
  const call = lazily(async () => signedCall(await site(), { clock, guard, limitMs: attemptMs }))
  const once = async <Out extends Consumed>(operation: string, input: object) => {
    const send = await call()
    if (!onUsage) return (await send(operation, input)) as Out
    const output = (await send(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' })) as Out
    for (const usage of usages(operation, output)) onUsage(usage)
    return output
  }
  return {
    getItem: (input) => once<GetItemCommandOutput>('GetItem', input),
    updateItem: (input) => once<UpdateItemCommandOutput>('UpdateItem', input),
  }
}
