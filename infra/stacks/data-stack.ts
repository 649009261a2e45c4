/** What must outlive every deploy: the tables and the keys. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { SigningKeys } from '../constructs/keys.ts'
import { OwnTables } from '../constructs/tables.ts'
import type { DeploymentSettings } from '../settings.ts'

export interface DataStackProps extends StackProps {
  readonly settings: DeploymentSettings
}

export class DataStack extends Stack {
  readonly tables: OwnTables
  readonly keys: SigningKeys

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props)
    this.tables = new OwnTables(this, 'Tables', { settings: props.settings })
    this.keys = new SigningKeys(this, 'Keys', { settings: props.settings })
    for (const value of this.lasting()) this.exportValue(value)
    // `npx leasehold --outputs FILE` reads these by name.
    const outputs = {
      NodeKeyId: this.keys.ofNodes.signing.keyId,
      AdminKeyId: this.keys.ofAdmins.signing.keyId,
    }
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value })
  }

  /**
   * Exported whether or not it is used: this stack is deployed first, and what the other one still
   * imports could not be taken away.
   */
  private lasting(): readonly (string | undefined)[] {
    const { leases, objects } = this.tables
    const { ofNodes, ofAdmins } = this.keys
    return [
      ...[leases, objects].flatMap((table) => [table.tableArn, table.tableName]),
      objects.tableStreamArn,
      ...[...ofNodes.all, ...ofAdmins.all].flatMap((key) => [key.keyArn, key.keyId]),
    ]
  }
}
