import { describe, expect, it } from 'vitest'
import { isAllowed, type Statement } from './iam.ts'

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/leases'
const put: Statement = { Effect: 'Allow', Action: ['dynamodb:PutItem'], Resource: table }

describe('what a role may do', () => {
  it.each([
    { when: 'a statement names it', statements: [put], action: 'dynamodb:PutItem', may: true },
    {
      when: 'no statement names the action',
      statements: [put],
      action: 'dynamodb:Scan',
      may: false,
    },
    { when: 'there is no statement', statements: [], action: 'dynamodb:PutItem', may: false },
    {
      when: 'one allows and another denies',
      statements: [put, { ...put, Effect: 'Deny' as const }],
      action: 'dynamodb:PutItem',
      may: false,
    },
    {
      when: 'the action has a wildcard',
      statements: [{ ...put, Action: 'dynamodb:*' }],
      action: 'dynamodb:Scan',
      may: true,
    },
  ])('$when: $may', ({ statements, action, may }) => {
    expect(isAllowed(statements, action, table)).toBe(may)
  })

  it('an index is not its table, and a dot is no wildcard', () => {
    expect(isAllowed([put], 'dynamodb:PutItem', `${table}/index/changes`)).toBe(false)
    expect(isAllowed([{ ...put, Resource: 'a.b' }], 'dynamodb:PutItem', 'axb')).toBe(false)
  })

  it('refuses to guess what a condition means', () => {
    const statement = { ...put, Condition: { StringEquals: {} } }
    expect(() => isAllowed([statement], 'dynamodb:PutItem', table)).toThrow('condition')
  })
})
