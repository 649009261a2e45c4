/**
 * The least an api on this stack can load: the web framework and the DynamoDB client, doing
 * nothing.
 */
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { Hono } from 'hono'

const client = new DynamoDBClient({ region: 'eu-central-1' })
const app = new Hono().get('/', async (context) => {
  await client.send(new UpdateItemCommand({ TableName: 'leases', Key: { key: { S: 'a' } } }))
  return context.text('ok')
})
export const handler = app.fetch
