import { describe, expect, it } from 'vitest'
import { lambdaApi, readEnvironment } from '../../../../functions/api/lambda/environment.ts'

const env = {
  LEASEHOLD_TABLE_PREFIX: 'test',
  LEASEHOLD_NODE_KEY_ID: 'alias/nodes',
  LEASEHOLD_ADMIN_KEY_ID: 'alias/admins',
}

describe('the environment of the function', () => {
  it('is a streaming Function URL unless it says otherwise', () => {
    expect(readEnvironment(env).ingress).toBe('function-url')
    expect(readEnvironment({ ...env, LEASEHOLD_INGRESS: 'http-api' }).ingress).toBe('http-api')
  })

  it.each([
    {
      when: 'the ingress is unknown',
      change: { LEASEHOLD_INGRESS: 'carrier-pigeon' },
      names: 'LEASEHOLD_INGRESS',
    },
    {
      when: 'the tables are not named',
      change: { LEASEHOLD_TABLE_PREFIX: '' },
      names: 'LEASEHOLD_TABLE_PREFIX',
    },
    {
      when: 'a key is missing',
      change: { LEASEHOLD_NODE_KEY_ID: undefined },
      names: 'LEASEHOLD_NODE_KEY_ID',
    },
  ])('stops the start when $when, and says what is wrong', ({ change, names }) => {
    expect(() => readEnvironment({ ...env, ...change })).toThrow(names)
  })

  it('makes an app that answers probes and refuses strangers without any call', async () => {
    const app = lambdaApi(readEnvironment({ ...env, AWS_REGION: 'eu-central-1' }))
    const ask = (path: string) => app.fetch(new Request(`https://leasehold${path}`))
    expect((await ask('/healthz')).status).toBe(200)
    const closed = ['/api/v1/nodes', '/apis/leasehold.dev/v1/bootstraptokens']
    for (const path of closed) expect((await ask(path)).status, path).toBe(401)
  })
})
