/**
 * What is attacked: the api as it ships (tokens, rules, admission and limits included) over a store
 * in memory, on a clock that the test moves.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { ApiDeps, LogEntry } from '../../functions/api/deps.ts'
import { createSecuredEntry } from '../../functions/api/entry.ts'
import { createFullApi } from '../../functions/api/full-api.ts'
import { createBootstrapToken } from '../../shared/auth/join/bootstrap-tokens.ts'
import { defaultIssuerAudience, type KeyRole } from '../../shared/auth/tokens/claims.ts'
import { signToken, type TokenSpec } from '../../shared/auth/tokens/signer.ts'
import { memoryStore } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { seededRandom } from '../builders/seeded-random.ts'
import {
  type Call,
  init,
  LEASES,
  lease,
  NODES,
  node,
  type Reply,
  replyOf,
} from '../functions/api/world.ts'
import { newSigner } from '../shared/auth/install.ts'

export const START_MS = Date.parse('2026-01-02T03:04:05.678Z')
export const HOST = 'http://localhost'

const user = (name: string, ...groups: string[]) => ({ user: name, groups })
const PEOPLE = {
  admin: user('ada', 'system:masters'),
  operator: user('otto', 'leasehold:operators'),
  viewer: user('vera', 'leasehold:viewers'),
  leaseUser: user('lena', 'leasehold:lease-users:default'),
  systemLeaseUser: user('sven', 'leasehold:lease-users:kube-system'),
  stranger: user('sid'),
} as const
export type Person = keyof typeof PEOPLE

export type Service = Awaited<ReturnType<typeof startService>>
type Wanted = Partial<TokenSpec> & Pick<TokenSpec, 'user' | 'groups'>

interface Options {
  readonly deps?: Partial<ApiDeps>
  readonly wrap?: (store: Store) => Store
  /** Default: one that only `advance` moves. */
  readonly clock?: () => number
  /** Serves watches, over the same store and clock. */
  readonly watch?: (deps: Pick<ApiDeps, 'store' | 'clock' | 'random' | 'log'>) => ApiDeps['watch']
}

export async function startService(options: Options = {}) {
  const { deps, wrap = (store: Store) => store, watch } = options
  let advancedMs = 0
  const clock = options.clock ?? (() => START_MS + advancedMs)
  const log: LogEntry[] = []
  const random = seededRandom(7)
  const store = wrap(memoryStore({ clock }))
  const signers = { node: await newSigner('node'), admin: await newSigner('admin') }
  const jwks = {
    keys: [signers.node, signers.admin].map((one) => ({ ...one.publicJwk, role: one.role })),
  }
  const note = (line: LogEntry) => void log.push(line)
  const served = watch?.({ store, clock, random, log: note })
  const entry = createSecuredEntry(
    {
      store,
      clock,
      random,
      log: note,
      ...(served && { watch: served }),
      publicKeys: async () => jwks,
      nodeSigner: async () => signers.node,
      ...deps,
    },
    async (given) => createFullApi(given),
  )
  const sign = async (role: KeyRole, wanted: Wanted) => {
    const usual = { ...defaultIssuerAudience, lifetimeSeconds: 3600, tokenId: randomUUID() }
    const nowMs = clock()
    return (await signToken(signers[role], { ...usual, nowMs, ...wanted })).token
  }
  /** Any claims, as one who stole the key would sign them. */
  const signClaims = async (role: KeyRole, claims: object) => {
    const { issuer: iss, audience: aud } = defaultIssuerAudience
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid } = signers[role]
    const text = `${part({ alg: 'ES256', kid })}.${part({ iss, aud, ...claims })}`
    const signature = await signers[role].sign(Buffer.from(text))
    return `${text}.${Buffer.from(signature).toString('base64url')}`
  }
  const tokens = new Map<Person, string>()
  const personToken = async (person: Person) => {
    const token =
      tokens.get(person) ?? (await sign('admin', { ...PEOPLE[person], lifetimeSeconds: 43_200 }))
    tokens.set(person, token)
    return token
  }
  /** `as` is a person or a token. */
  const call = async (
    method: string,
    path: string,
    { as = 'admin', ...rest }: Call = {},
  ): Promise<Reply> => {
    const token = as !== null && as in PEOPLE ? await personToken(as as Person) : as
    const request = new Request(`${HOST}${path}`, init(method, { as: token, ...rest }))
    return await replyOf(await entry.fetch(request))
  }
  const bootstrap = (uses?: number) =>
    createBootstrapToken(
      store,
      { groups: [], lifetimeMs: 30 * 86_400_000, uses },
      { nowMs: clock(), randomInt: (below) => Math.floor(random() * below) },
    )
  return {
    store,
    entry,
    log,
    clock,
    call,
    sign,
    signClaims,
    bootstrap,
    personToken,
    rotateNodeKey: async () => {
      signers.node = await newSigner('node')
      jwks.keys[0] = { ...signers.node.publicJwk, role: 'node' }
    },
    advance: (ms: number) => {
      advancedMs += ms
    },
  }
}

/** What a machine has that joined: a name, its secret and its token. */
export interface Joined {
  readonly name: string
  readonly proof: string
  readonly token: string
  readonly uid: string
}

export const proofOf = (machine: string) =>
  `lhp1.${createHash('sha256').update(machine).digest('base64url')}`

export async function askToken(service: Service, name: string, bearer: string, proof?: string) {
  const annotations = proof && { 'leasehold.dev/machine-proof': proof }
  const body = { metadata: { annotations } }
  return await service.call('POST', `/apis/leasehold.dev/v1/nodes/${name}/token`, {
    as: bearer,
    body,
  })
}

/** Joins as a host does: bootstrap token, Node, node token, lease. */
export async function joinHost(
  service: Service,
  name: string,
  status: object = {},
  labels: object = {},
): Promise<Joined> {
  const proof = proofOf(name)
  const joining = tokenIn(await askToken(service, name, await service.bootstrap(), proof))
  const body = node(name, { metadata: { name, labels }, status })
  const made = await service.call('POST', NODES, { as: joining, body })
  const token = tokenIn(await askToken(service, name, joining, proof))
  const joined = { name, proof, token, uid: made.body.metadata.uid as string }
  await service.call('POST', LEASES, { as: token, body: leaseOf(service, joined) })
  return joined
}

export const tokenIn = ({ status, body, text }: Reply): string => {
  if (status !== 201) throw new Error(`no token: ${text}`)
  return body.status.token
}

export const leaseOf = (service: Service, { name, uid }: Pick<Joined, 'name' | 'uid'>) =>
  lease(
    name,
    { holderIdentity: `${name}_m`, leaseDurationSeconds: 40, renewTime: micro(service.clock()) },
    { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
  )

export const micro = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

export const beat = (service: Service, { name, token }: Pick<Joined, 'name' | 'token'>) =>
  service.call('PATCH', `${LEASES}/${name}`, {
    as: token,
    body: { spec: { renewTime: micro(service.clock()), holderIdentity: `${name}_m` } },
  })
