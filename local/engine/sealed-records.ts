/**
 * The embedded database asks for no secret. So that a record which another process put there grants
 * nothing, those that grant power carry a seal: an HMAC by a key in the data folder over their name
 * and value. It does not show that a record was removed, or replaced by an older one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { BOOTSTRAP_TOKENS } from '../../shared/auth/join/bootstrap-tokens.ts'
import { JOINS } from '../../shared/auth/join/join-record.ts'
import { PROGRAMS } from '../../shared/auth/programs/grants.ts'
import { REVOCATIONS } from '../../shared/auth/tokens/revocations.ts'
import type { Store, StoredRecord, WriteStep } from '../../shared/store/ports.ts'

interface Sealed {
  /** The value as JSON text: the seal is over its bytes. */
  readonly text: string
  readonly seal: string
}

const PREFIXES = [BOOTSTRAP_TOKENS, JOINS, PROGRAMS]
const grantsPower = (name: string) =>
  name === REVOCATIONS || PREFIXES.some((prefix) => name.startsWith(prefix))

export function sealedStore(store: Store, key: Buffer): Store {
  const { records } = store
  return {
    ...store,
    records: {
      async get<T>(name: string) {
        if (!grantsPower(name)) return records.get<T>(name)
        const found = await records.get<Sealed>(name)
        const opened = found && unsealed<T>(found, key)
        // Without the list of revocations no token can be trusted; a forged grant just is not there.
        if (found && !opened && name === REVOCATIONS) throw new Error(FORGED)
        return opened
      },
      async list<T>(prefix: string) {
        if (!grantsPower(prefix)) return records.list<T>(prefix)
        const found = await records.list<Sealed>(prefix)
        return found.flatMap((record) => unsealed<T>(record, key) ?? [])
      },
    },
    commit: (steps) => store.commit(steps.map((step) => sealed(step, key))),
  }
}

const FORGED =
  'the record of revocations was not written by this install, or its key was changed; ' +
  'start with another --data folder'

function sealed(step: WriteStep, key: Buffer): WriteStep {
  if (step.do !== 'putRecord' || !grantsPower(step.name)) return step
  const text = JSON.stringify(step.value)
  return { ...step, value: { text, seal: sealOf(step.name, text, key).toString('base64') } }
}

function unsealed<T>(record: StoredRecord<Sealed>, key: Buffer): StoredRecord<T> | undefined {
  const { text, seal } = record.value
  if (typeof text !== 'string' || typeof seal !== 'string') return undefined
  const shown = Buffer.from(seal, 'base64')
  const right = sealOf(record.name, text, key)
  if (shown.length !== right.length || !timingSafeEqual(shown, right)) return undefined
  return { ...record, value: JSON.parse(text) }
}

/** A name has no NUL, so that no other name and text give the same bytes. */
const sealOf = (name: string, text: string, key: Buffer) =>
  createHmac('sha256', key).update(`${name}\0${text}`).digest()
