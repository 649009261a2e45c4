/** What is a command? Its words, what a newcomer needs to know, its options, and what it does. */
import type { ParseArgsOptionDescriptor } from 'node:util'
import type { KeyRole } from '../../shared/auth/claims.ts'
import type { Signer } from '../../shared/auth/signer.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { DataFolder } from '../data-folder.ts'

/** A mistake of the person at the keyboard: told in one sentence, without a stack. */
export class UsageError extends Error {}

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

export interface Command {
  readonly words: readonly string[]
  readonly summary: string
  /** After the first line: options and examples, as `--help` prints them. */
  readonly help: string
  readonly options: Readonly<Record<string, ParseArgsOptionDescriptor>>
  /** How many words follow the command's own. Default 0. */
  readonly operands?: number
  run(values: Values, world: World, operands: readonly string[]): Promise<void>
}

export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly nowMs: () => number
  readonly randomInt: (below: number) => number
  readonly newId: () => string
  /** For what a program reads: standard output. */
  readonly print: (text: string) => void
  /** For what a person reads: standard error. */
  readonly tell: (text: string) => void
  /** How a kubeconfig calls this program again. */
  readonly program: { readonly command: string; readonly args: readonly string[] }
  readonly open: (settings: Settings) => Install
}

/** Where the install is: in a folder here, or in AWS. */
export type Settings =
  | { readonly kind: 'local'; readonly folder: string }
  | {
      readonly kind: 'aws'
      readonly nodeKey?: string
      readonly adminKey?: string
      readonly leasesTable?: string
      readonly objectsTable?: string
      readonly server?: string
    }

/** Everything is asked for when it is needed: `credential` must not wait for DynamoDB. */
export interface Install {
  readonly signer: (role: KeyRole) => Promise<Signer>
  readonly store: () => Promise<Store>
  readonly server: () => string
  /** PEM; absent where the public authorities are enough. */
  readonly ca: () => string | undefined
  /** Absent in AWS, where keys live in KMS. */
  readonly data?: DataFolder
}

export const text = (value: Values[string]) => (typeof value === 'string' ? value : undefined)
export const texts = (value: Values[string]) => (Array.isArray(value) ? (value as string[]) : [])
