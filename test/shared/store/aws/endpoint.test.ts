import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import {
  endpointFor,
  endpointFromEnvironment,
  endpointOfClient,
} from '../../../../shared/store/aws/endpoint.ts'

const keys = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' }
const lambda = { ...keys, AWS_REGION: 'eu-central-1', AWS_SESSION_TOKEN: 'session' }
const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' }
const clientIn = (region: string, more = {}) => new DynamoDBClient({ region, credentials, ...more })
const unasked = () => Promise.reject(new Error('the SDK was asked'))

describe('the environment of a function', () => {
  it('says where a service is and who asks', async () => {
    const endpoint = await endpointFor('kms', lambda, unasked)
    expect(endpoint.url.href).toBe('https://kms.eu-central-1.amazonaws.com/')
    expect(endpoint.region).toBe('eu-central-1')
    expect(await endpoint.credentials()).toEqual({ ...credentials, sessionToken: 'session' })
  })

  it.each([
    { when: 'ours is set', env: { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, kms: undefined },
    {
      when: 'one for all is set',
      env: { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
      kms: 'http://127.0.0.1:1/',
    },
    {
      when: 'one for the service is set beside it',
      env: {
        AWS_ENDPOINT_URL: 'http://127.0.0.1:2',
        AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
      },
      kms: 'http://127.0.0.1:2/',
    },
  ])('names another endpoint when $when', ({ env, kms }) => {
    const all = { ...lambda, ...env }
    expect(endpointFromEnvironment(all, 'dynamodb')?.url.href).toBe('http://127.0.0.1:1/')
    const usual = 'https://kms.eu-central-1.amazonaws.com/'
    expect(endpointFromEnvironment(all, 'kms')?.url.href).toBe(kms ?? usual)
  })

  it.each([
    { when: 'there is no region', env: keys },
    { when: 'there are no credentials', env: { AWS_REGION: 'eu-central-1' } },
    { when: 'the partition is another', env: { ...lambda, AWS_REGION: 'cn-north-1' } },
    { when: 'the cloud is the sovereign one', env: { ...lambda, AWS_REGION: 'eusc-de-east-1' } },
    { when: 'FIPS is wanted', env: { ...lambda, AWS_USE_FIPS_ENDPOINT: 'true' } },
  ])('does not say it all when $when', ({ env }) => {
    expect(endpointFromEnvironment(env, 'dynamodb')).toBeUndefined()
  })
})

describe("a client's own endpoint", () => {
  it.each(['eu-central-1', 'us-gov-west-1', 'cn-north-1'])(
    'is where the SDK would go in %s, and KMS is beside it',
    async (region) => {
      const suffix = region.startsWith('cn-') ? '.cn' : ''
      const client = async () => clientIn(region)
      const dynamodb = await endpointFor('dynamodb', {}, client)
      expect(dynamodb.url.href).toBe(`https://dynamodb.${region}.amazonaws.com${suffix}/`)
      const kms = await endpointFor('kms', {}, client)
      expect(kms.url.href).toBe(`https://kms.${region}.amazonaws.com${suffix}/`)
      expect(await kms.credentials()).toMatchObject(credentials)
    },
  )

  it('is the endpoint it was given', async () => {
    const endpoint = await endpointOfClient(
      clientIn('local', { endpoint: 'http://127.0.0.1:8000' }),
    )
    expect(endpoint.url.href).toBe('http://127.0.0.1:8000/')
  })

  it('is the same that the environment tells in the ordinary case', async () => {
    const told = endpointFromEnvironment(lambda, 'dynamodb')
    expect((await endpointOfClient(clientIn('eu-central-1'))).url.href).toBe(told?.url.href)
  })
})
