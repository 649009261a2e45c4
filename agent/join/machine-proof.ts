/**
 * How does a machine show that it is the one that joined? With random bytes made when it first
 * joins and kept in the state folder. Nothing that a host reports, such as its machine id, goes into
 * them: a proof made of public values is no proof.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Log } from '../log.ts'
import { readIfExists, replacePrivate } from './private-file.ts'

/** The form the service asks for: no value of any other origin fits it by chance. */
const PROOF = /^lhp1\.[A-Za-z0-9_-]{43}$/

const newMachineProof = () => `lhp1.${randomBytes(32).toString('base64url')}`

export function memoryMachineProof(): () => Promise<string> {
  const proof = newMachineProof()
  return async () => proof
}

/** Read or made at the first call, then the same for the life of the process. */
export function fileMachineProof(path: string, log: Log): () => Promise<string> {
  const made = newMachineProof()
  let kept: string | undefined
  return async () => {
    try {
      kept ??= await loadOrKeep(path, made, log)
      return kept
    } catch (error) {
      // Full disk or no permission: this one serves until the next start, or until it can be kept.
      log.warn(`cannot keep the proof of this machine: ${(error as Error).message}`)
      return made
    }
  }
}

async function loadOrKeep(path: string, made: string, log: Log): Promise<string> {
  const found = (await readIfExists(path))?.trim()
  if (found !== undefined && PROOF.test(found)) return found
  if (found !== undefined) log.warn(`${path} is damaged: making a new proof of this machine`)
  await replacePrivate(path, `${made}\n`)
  return made
}

/**
 * Tells machines under one node name apart without showing the machine id to readers of leases.
 * Salted with the name, so that it stays when the state folder is lost, and one machine under two
 * names shows two values. The shell agent computes the same.
 */
export const machineHash = (nodeName: string, machineId: string): string =>
  createHash('sha256')
    .update(`leasehold.dev holder ${nodeName} ${machineId}`)
    .digest('hex')
    .slice(0, 32)
