/**
 * Signing keys in files, for local mode and for operators without KMS. A role's file holds the key
 * that signs, and of the key before it only the public half: it verifies and never signs again.
 */
import { createPrivateKey, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JWK } from 'jose'
import { type KeyRole, lifetimeSeconds } from '../shared/auth/tokens/claims.ts'
import type { PublicJwks } from '../shared/auth/tokens/key-set.ts'
import { keyObjectSigner, type Signer } from '../shared/auth/tokens/signer.ts'
import type { DataFolder } from './data-folder.ts'
import { writePrivate } from './private-file.ts'

interface KeyFile {
  readonly current: JWK
  readonly previous?: JWK
  readonly rotatedAtMs?: number
}

const roles: readonly KeyRole[] = ['node', 'admin']
const fileOf = (data: DataFolder, role: KeyRole) =>
  role === 'node' ? data.nodeKeys : data.adminKeys

/** Creates what is missing; a later start changes nothing. */
export function ensureKeys(data: DataFolder): void {
  mkdirSync(dirname(data.publicKeys), { recursive: true, mode: 0o700 })
  for (const role of roles) {
    const file = fileOf(data, role)
    if (!existsSync(file)) writeKeys(file, { current: newKey() })
  }
  if (!existsSync(data.recordsKey)) {
    writePrivate(data.recordsKey, randomBytes(SEAL_KEY_BYTES).toString('base64'))
  }
  writePublic(data)
}

const SEAL_KEY_BYTES = 32

export const readSealKey = ({ recordsKey }: DataFolder): Buffer =>
  Buffer.from(readPrivate(recordsKey), 'base64')

export function fileSigner(data: DataFolder, role: KeyRole): Promise<Signer> {
  const { current } = readKeys(fileOf(data, role))
  const key = createPrivateKey({ key: current as JsonWebKey, format: 'jwk' })
  return keyObjectSigner(role, key, publicHalf(current))
}

/** What the api verifies with. Read on every call, so rotation needs no restart. */
export async function readPublicKeys({ publicKeys }: DataFolder): Promise<PublicJwks> {
  return JSON.parse(readFileSync(publicKeys, 'utf8'))
}

type Rotated = 'rotated' | { readonly tooSoonUntilMs: number }

/**
 * Too soon while tokens signed by the previous key may still be valid, as a rotation drops that
 * key. `force` drops both old keys at once.
 */
export function rotateKey(
  data: DataFolder,
  role: KeyRole,
  { nowMs, force }: { readonly nowMs: number; readonly force: boolean },
): Rotated {
  const file = fileOf(data, role)
  const { current, rotatedAtMs } = readKeys(file)
  const longest = role === 'node' ? lifetimeSeconds.node : lifetimeSeconds.user
  const safeAtMs = rotatedAtMs === undefined ? 0 : rotatedAtMs + longest * 1000
  if (!force && nowMs < safeAtMs) return { tooSoonUntilMs: safeAtMs }

  const previous = force ? undefined : publicHalf(current)
  writeKeys(file, { current: newKey(), ...(previous && { previous }), rotatedAtMs: nowMs })
  writePublic(data)
  return 'rotated'
}

function newKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'jwk' }) as JWK
}

const publicHalf = ({ kty, crv, x, y }: JWK): JWK => ({ kty, crv, x, y }) as JWK

const readKeys = (file: string): KeyFile => JSON.parse(readPrivate(file))

function readPrivate(file: string): string {
  if (!existsSync(file)) {
    throw new Error(`there is no key file ${file}: run "npm start" first, or name another --data`)
  }
  const mode = statSync(file).mode & 0o777
  // Windows has no such modes and reports 666 or 444.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(
      `${file} can be read by others (mode ${mode.toString(8)}): run "chmod 600 ${file}", ` +
        'and if others use this machine also "leasehold keys rotate --force"',
    )
  }
  return readFileSync(file, 'utf8')
}

const writeKeys = (file: string, keys: KeyFile) => writePrivate(file, `${JSON.stringify(keys)}\n`)

function writePublic(data: DataFolder): void {
  const keys = roles.flatMap((role) => {
    const { current, previous } = readKeys(fileOf(data, role))
    return [current, previous]
      .filter((key) => key !== undefined)
      .map((key) => ({ ...publicHalf(key), role }))
  })
  writePrivate(data.publicKeys, `${JSON.stringify({ keys })}\n`)
}
