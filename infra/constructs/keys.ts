/**
 * Who can sign what? Two keys: the public api signs node tokens only, people's tokens need the
 * other.
 */
import { RemovalPolicy } from 'aws-cdk-lib'
import { Alias, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import { Construct } from 'constructs'

export class SigningKeys extends Construct {
  readonly nodeKey: Key
  readonly adminKey: Key

  constructor(scope: Construct, id: string, props: { readonly stage: string }) {
    super(scope, id)
    this.nodeKey = this.signingKey('Node', `signs tokens of hosts (${props.stage})`)
    this.adminKey = this.signingKey('Admin', `signs tokens of people and programs (${props.stage})`)
    new Alias(this, 'NodeAlias', {
      aliasName: `alias/leasehold-${props.stage}-node`,
      targetKey: this.nodeKey,
    })
    new Alias(this, 'AdminAlias', {
      aliasName: `alias/leasehold-${props.stage}-admin`,
      targetKey: this.adminKey,
    })
  }

  /** Signing keys cannot rotate by themselves: docs/security.md says how two live at once. */
  private signingKey(id: string, description: string): Key {
    return new Key(this, id, {
      description: `Leasehold: ${description}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }
}
