/**
 * The signing keys: one for node tokens, which the public api may use, and one for users' tokens,
 * which it may not. KMS cannot rotate asymmetric keys: a new generation is a new key, and the one
 * before it is trusted until the next.
 */
import { RemovalPolicy } from 'aws-cdk-lib'
import { Alias, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import { Construct } from 'constructs'
import type { DeploymentSettings } from '../settings.ts'

export interface KeyGenerations {
  /** The newest. */
  readonly signing: Key
  /** The newest first. */
  readonly believed: readonly Key[]
  /** The oldest first, with those no longer trusted. */
  readonly all: readonly Key[]
}

interface Kind {
  readonly id: string
  readonly signs: string
  readonly generation: number
}

export class SigningKeys extends Construct {
  readonly ofNodes: KeyGenerations
  readonly ofAdmins: KeyGenerations

  constructor(scope: Construct, id: string, props: { readonly settings: DeploymentSettings }) {
    super(scope, id)
    const { settings } = props
    const { nodeKeyGeneration, adminKeyGeneration } = settings
    const hosts = { id: 'Node', signs: 'hosts', generation: nodeKeyGeneration }
    const people = { id: 'Admin', signs: 'people and programs', generation: adminKeyGeneration }
    this.ofNodes = this.generations(hosts, settings)
    this.ofAdmins = this.generations(people, settings)
    this.alias('Node', `leasehold-${settings.stage}-node`, this.ofNodes)
    this.alias('Admin', `leasehold-${settings.stage}-admin`, this.ofAdmins)
  }

  private alias(id: string, name: string, { signing }: KeyGenerations): void {
    new Alias(this, `${id}Alias`, { aliasName: `alias/${name}`, targetKey: signing })
  }

  private generations({ id, signs, generation }: Kind, settings: DeploymentSettings) {
    const all = Array.from({ length: generation }, (_, at) =>
      // The first has no number: it is older than this way of counting.
      this.signingKey(at === 0 ? id : `${id}${at + 1}`, `signs tokens of ${signs}`, settings.stage),
    )
    const newest = all.slice(settings.believePreviousKeys ? -2 : -1).reverse()
    return { signing: all.at(-1)!, believed: newest, all }
  }

  private signingKey(id: string, what: string, stage: string): Key {
    return new Key(this, id, {
      description: `Leasehold: ${what} (${stage})`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }
}
