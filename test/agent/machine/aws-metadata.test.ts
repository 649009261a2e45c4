import { afterEach, describe, expect, it } from 'vitest'
import { awsFacts, CloudError } from '../../../agent/machine/aws-metadata.ts'
import { INSTANCE, type MetadataService, startMetadataService } from './metadata-service.ts'

let service: MetadataService | undefined
afterEach(() => {
  service?.close()
  service = undefined
})

const factsOf = async (values: Readonly<Record<string, string>>, isSilent = false) => {
  service = await startMetadataService(values, isSilent)
  return awsFacts(service.url)
}

describe('the instance metadata service', () => {
  it('tells name, provider id, labels and addresses', async () => {
    expect(await factsOf(INSTANCE)).toEqual({
      nodeName: 'ip-10-0-3-7.eu-central-1.compute.internal',
      providerId: 'aws:///eu-central-1b/i-0123456789abcdef0',
      labels: {
        'node.kubernetes.io/instance-type': 'm7g.large',
        'topology.kubernetes.io/zone': 'eu-central-1b',
        'topology.kubernetes.io/region': 'eu-central-1',
      },
      addresses: [
        { type: 'ExternalIP', address: '203.0.113.7' },
        { type: 'InternalDNS', address: 'ip-10-0-3-7.eu-central-1.compute.internal' },
        { type: 'ExternalDNS', address: 'ec2-203-0-113-7.eu-central-1.compute.amazonaws.com' },
      ],
    })
  })

  it('need not know a public address, and may know several names', async () => {
    const { 'public-hostname': _name, 'public-ipv4': _ip, ...inner } = INSTANCE
    const names = 'ip-10-0-3-7.corp.example ip-10-0-3-7.example'
    const { addresses, nodeName } = await factsOf({ ...inner, 'local-hostname': names })
    expect(nodeName).toBe('ip-10-0-3-7.corp.example')
    expect(addresses).toEqual([{ type: 'InternalDNS', address: 'ip-10-0-3-7.corp.example' }])
  })

  it.each([
    { when: 'it knows no instance', values: {}, says: 'it knows no instance-id' },
    { when: 'it says nothing', values: INSTANCE, isSilent: true, says: 'no answer within 1 s' },
  ])('is missed in one sentence when $when', async ({ values, isSilent, says }) => {
    const failing = factsOf(values, isSilent)
    await expect(failing).rejects.toThrow(CloudError)
    await expect(failing).rejects.toThrow(says)
    await expect(failing).rejects.toThrow('is this an EC2 instance')
  })

  it('is missed when nothing listens', async () => {
    service = await startMetadataService({})
    service.close()
    await expect(awsFacts(service.url)).rejects.toThrow('ECONNREFUSED')
  })
})
