/** The SDK's client with its retries off, because our own stamp each attempt anew. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/** A new connection takes a fraction of this inside a region. */
const connectionTimeoutMs = 1_000

export function dynamoClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    requestHandler: { connectionTimeout: connectionTimeoutMs },
    ...config,
    maxAttempts: 1,
  })
}
