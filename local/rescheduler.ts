/** `--reschedule`: the function of examples/reschedule on the events of this process. */
import { httpTransport } from '../agent/http.ts'
import { type Api, type Eviction, reschedule } from '../examples/reschedule/reschedule.ts'
import type { EventBus } from '../functions/notifier/bus.ts'
import { adminToken } from './admin-kubeconfig.ts'
import type { DataFolder } from './data-folder.ts'
import type { LocalLog } from './log.ts'

interface ReschedulePlan {
  readonly data: DataFolder
  readonly api: string
  readonly caPem: string
  readonly log: LocalLog
}

/** As Lambda's for an asynchronous call, with shorter pauses. */
const TRIES = 10
const PAUSE_MS = 3_000

/** The bus, and a rule on it: what was delivered goes to the function as well. */
export function withRescheduling(bus: EventBus, plan: ReschedulePlan): EventBus {
  const transport = httpTransport({ server: plan.api, ca: plan.caPem })
  const api: Api = {
    send: async (method, path, body) =>
      transport.exchange({ method, path, body }, await adminToken(plan.data, Date.now())),
  }
  return {
    async publish(events) {
      const results = await bus.publish(events)
      for (const [at, { 'detail-type': type, detail }] of events.entries())
        if (type === 'PodEvicted' && results[at]?.kind === 'delivered')
          void move(api, detail as Eviction, plan.log)
      return results
    },
  }
}

async function move(api: Api, eviction: Eviction, log: LocalLog, tries = 1): Promise<void> {
  const { name } = eviction.object
  const outcome = await reschedule(api, eviction).catch((error: Error) => ({
    kind: 'waiting' as const,
    why: error.message,
  }))
  if (outcome.kind === 'moved') log.say(`rescheduled ${name} as ${outcome.pod} on ${outcome.node}`)
  if (outcome.kind === 'left') log.say(`not rescheduled: ${outcome.why}`)
  if (outcome.kind !== 'waiting') return
  if (tries >= TRIES) return log.say(`not rescheduled: ${outcome.why}`)
  setTimeout(() => void move(api, eviction, log, tries + 1), PAUSE_MS).unref()
}
