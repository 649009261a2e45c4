/** What must outlive every deploy: the tables and the keys. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { SigningKeys } from '../constructs/keys.ts'
import { Tables } from '../constructs/tables.ts'
import type { DeploymentSettings } from '../settings.ts'

export interface DataStackProps extends StackProps {
  readonly settings: DeploymentSettings
}

export class DataStack extends Stack {
  readonly tables: Tables
  readonly keys: SigningKeys

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props)
    this.tables = new Tables(this, 'Tables', { settings: props.settings })
    this.keys = new SigningKeys(this, 'Keys', { settings: props.settings })
    // Exported whether or not they are used: this stack is deployed first, and what the other one
    // still imports could not be taken away.
    for (const { keyArn, keyId } of [...this.keys.ofNodes.all, ...this.keys.ofAdmins.all]) {
      this.exportValue(keyArn)
      this.exportValue(keyId)
    }
    // `npx leasehold --outputs FILE` reads these by name.
    const outputs = {
      LeasesTable: this.tables.leases.tableName,
      ObjectsTable: this.tables.objects.tableName,
      NodeKeyId: this.keys.ofNodes.signing.keyId,
      AdminKeyId: this.keys.ofAdmins.signing.keyId,
    }
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value })
  }
}
