/** A command of the `leasehold` program: its words, its help, its flags, and what it does. */
import type { KeyRole } from '../../shared/auth/tokens/claims.ts'
import type { Signer } from '../../shared/auth/tokens/signer.ts'
import type { FlagSet, FlagValues } from '../../shared/flags/flag-set.ts'
import type { OnUsage } from '../../shared/store/dynamo/calls.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { DataFolder } from '../data-folder.ts'

export interface Command {
  readonly words: readonly string[]
  readonly summary: string
  /** Its own flags, besides those that say which install is meant. */
  readonly flags?: FlagSet
  /** What `--help` prints after the flags: examples and consequences. */
  readonly notes?: string
  /** How many words follow the command's own. Default 0. */
  readonly operands?: number
  /** What one of them is called. Default ID. */
  readonly operandName?: string
  run(values: FlagValues, context: CommandContext, operands: readonly string[]): Promise<void>
}

export interface CommandContext {
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
  readonly open: (location: InstallLocation) => Install
  /** Aborted by Ctrl-C from now on, for a command that has something to remove before it ends. */
  readonly interrupted: () => AbortSignal
}

/** Where the install is: in a folder on this machine, or in AWS. */
export type InstallLocation = { readonly kind: 'local'; readonly folder: string } | AwsLocation

export interface AwsLocation {
  readonly kind: 'aws'
  readonly nodeKey?: string
  readonly adminKey?: string
  readonly leasesTable?: string
  readonly objectsTable?: string
  readonly server?: string
}

/** Each is opened on demand: `credential` must not wait for DynamoDB. */
export interface Install {
  readonly signer: (role: KeyRole) => Promise<Signer>
  /** `onUsage` hears what each of its own calls cost. */
  readonly store: (onUsage?: OnUsage) => Promise<Store>
  readonly server: () => string
  /** PEM; absent where the public authorities are enough. */
  readonly ca: () => string | undefined
  /** Absent in AWS, where keys live in KMS. */
  readonly data?: DataFolder
}
