import { expect, it } from 'vitest'
import { emulatedAws } from '../../../local/emulators/emulated-aws.ts'

it('leaves nothing that could lead to a real account', () => {
  const mine = {
    HOME: '/home/me',
    AWS_PROFILE: 'production',
    AWS_SESSION_TOKEN: 'real',
    AWS_ACCESS_KEY_ID: 'AKIAREAL',
    AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.eu-central-1.amazonaws.com',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
  }
  expect(emulatedAws('http://127.0.0.1:4566', mine)).toEqual({
    HOME: '/home/me',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:4566',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  })
})
