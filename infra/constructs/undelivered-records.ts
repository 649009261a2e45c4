/**
 * Where Lambda puts stream records, whole, that the notifier could not take for hours. A queue would
 * be told positions in the stream, which forgets them after a day.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { acknowledgeNag } from '../nag.ts'

/** As long as the dead-letter queue keeps a message. */
export const KEPT_DAYS = 14

export class UndeliveredRecords extends Construct {
  readonly bucket: Bucket

  constructor(scope: Construct, id: string) {
    super(scope, id)
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(KEPT_DAYS) }],
      removalPolicy: RemovalPolicy.RETAIN,
    })
    acknowledgeNag(this.bucket, {
      id: 'AwsSolutions::AwsSolutions-S1',
      reason: 'Only Lambda writes to it, rarely; a bucket of access logs would outgrow it.',
    })
  }
}
