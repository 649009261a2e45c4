/**
 * The function behind a rule on the bus: PodEvicted in, a pod on another node out. It signs its own
 * short-lived operator tokens with the admin key, so no secret has to be kept anywhere.
 */
import { randomUUID } from 'node:crypto'
import { defaultIssuerAudience } from '../../shared/auth/tokens/claims.ts'
import { kmsCall, kmsSigner } from '../../shared/auth/tokens/kms-signer.ts'
import { signToken } from '../../shared/auth/tokens/signer.ts'
import { endpointFromEnvironment } from '../../shared/store/aws/endpoint.ts'
import { type Api, type Eviction, reschedule } from './reschedule.ts'

const TOKEN_SECONDS = 300

/** `LEASEHOLD_SERVER` and `LEASEHOLD_ADMIN_KEY_ID` are outputs of the stacks. */
export async function handler({ detail }: { readonly detail: Eviction }): Promise<void> {
  const outcome = await reschedule(await service(process.env), detail)
  console.log(JSON.stringify({ ...outcome, evicted: detail.object.name }))
  // Lambda tries again, later.
  if (outcome.kind === 'waiting') throw new Error(outcome.why)
}

async function service(env: NodeJS.ProcessEnv): Promise<Api> {
  const { LEASEHOLD_SERVER: server, LEASEHOLD_ADMIN_KEY_ID: keyId = '' } = env
  const endpoint = endpointFromEnvironment(env, 'kms')
  if (!server || !endpoint) throw new Error('LEASEHOLD_SERVER and the region must be set')
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const policy = { clock: Date.now, random: Math.random, sleep }
  const signer = await kmsSigner(kmsCall(endpoint, policy), { role: 'admin', keyId })
  const { token } = await signToken(signer, {
    ...defaultIssuerAudience,
    user: 'reschedule',
    groups: ['system:masters'],
    lifetimeSeconds: TOKEN_SECONDS,
    tokenId: randomUUID(),
    nowMs: Date.now(),
  })
  return {
    async send(method, path, body) {
      const response = await fetch(`${server}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { code: response.status, body: await response.json() }
    },
  }
}
