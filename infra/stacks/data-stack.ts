/** What must outlive every deploy: the tables, the keys, and undelivered records. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { SigningKeys } from '../constructs/keys.ts'
import { OwnTables } from '../constructs/tables.ts'
import { UndeliveredRecords } from '../constructs/undelivered-records.ts'
import type { DeploymentSettings } from '../settings.ts'

interface DataStackProps extends StackProps {
  readonly settings: DeploymentSettings
}

export class DataStack extends Stack {
  readonly tables: OwnTables
  readonly keys: SigningKeys
  readonly undelivered: Bucket

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props)
    this.tables = new OwnTables(this, 'Tables', { settings: props.settings })
    this.keys = new SigningKeys(this, 'Keys', { settings: props.settings })
    this.undelivered = new UndeliveredRecords(this, 'UndeliveredRecords').bucket
    for (const value of this.exported()) this.exportValue(value)
    // `npx --no-install leasehold --outputs FILE` reads these by name.
    const outputs = {
      NodeKeyId: this.keys.ofNodes.signing.keyId,
      AdminKeyId: this.keys.ofAdmins.signing.keyId,
      UndeliveredBucket: this.undelivered.bucketName,
    }
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value })
  }

  /**
   * Exported whether or not it is used: this stack is deployed first, and CloudFormation refuses to
   * remove an export that the other stack still imports.
   */
  private exported(): readonly (string | undefined)[] {
    const { leases, objects } = this.tables
    const { ofNodes, ofAdmins } = this.keys
    return [
      ...[leases, objects].flatMap((table) => [table.tableArn, table.tableName]),
      objects.tableStreamArn,
      this.undelivered.bucketArn,
      ...[...ofNodes.all, ...ofAdmins.all].flatMap((key) => [key.keyArn, key.keyId]),
    ]
  }
}
