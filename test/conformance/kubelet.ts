/**
 * Plays the part of a kubelet that matters to `delete pod` and `drain`: a pod that is to end is
 * confirmed with a last delete, grace 0 and its uid as the precondition.
 */
import type { HttpsClient } from '../local-system/https-client.ts'

interface Pod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly deletionTimestamp?: string
  }
}

const POLL_MS = 300

export function startKubelet(http: HttpsClient, nodeName: string): { stop(): void } {
  const timer = setInterval(() => void confirmEnded(http, nodeName).catch(() => {}), POLL_MS)
  return { stop: () => clearInterval(timer) }
}

async function confirmEnded(http: HttpsClient, nodeName: string): Promise<void> {
  const selector = encodeURIComponent(`spec.nodeName=${nodeName}`)
  const { body } = await http.call('GET', `/api/v1/pods?fieldSelector=${selector}`)
  for (const { metadata } of body.items as Pod[]) {
    if (!metadata.deletionTimestamp) continue
    const { namespace, name, uid } = metadata
    const options = { gracePeriodSeconds: 0, preconditions: { uid } }
    await http.call('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, { body: options })
  }
}
