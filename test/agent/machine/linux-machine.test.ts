import { describe, expect, it } from 'vitest'
import {
  goArch,
  linuxMachine,
  outwardAddresses,
  parseMeminfo,
  parseOsRelease,
} from '../../../agent/machine/linux-machine.ts'

const address = (ip: string, internal = false) => ({
  address: ip,
  family: ip.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
  internal,
  netmask: '',
  mac: '',
  cidr: null,
  scopeid: 0,
})

describe('a Linux machine', () => {
  it('reads kibibytes as bytes and counts as counts', () => {
    const text = 'MemTotal:       2048 kB\nHugePages_Total:      3\nMemAvailable: 1024 kB\n'
    expect(parseMeminfo(text)).toEqual({
      MemTotal: 2_097_152,
      HugePages_Total: 3,
      MemAvailable: 1_048_576,
    })
  })

  it('names its system as os-release does', () => {
    expect(parseOsRelease('NAME=x\nPRETTY_NAME="Debian GNU/Linux 13"\n')).toBe(
      'Debian GNU/Linux 13',
    )
    expect(parseOsRelease('')).toBe('Linux')
  })

  it('speaks of architectures in the words of Go', () => {
    expect(['x64', 'arm64', 'ia32'].map(goArch)).toEqual(['amd64', 'arm64', '386'])
  })

  it('puts the address of the default route first and leaves out what leads nowhere', () => {
    const interfaces = {
      lo: [address('127.0.0.1', true)],
      docker0: [address('172.17.0.1')],
      eth0: [address('fe80::1'), address('2001:db8::5'), address('10.0.0.5')],
    }
    const routes = 'Iface\tDestination\tGateway\neth0\t00000000\t0100000A\t\n'
    expect(outwardAddresses(interfaces, routes)).toEqual(['10.0.0.5', '2001:db8::5', '172.17.0.1'])
  })

  it('says what the one under this test really has', async () => {
    const machine = linuxMachine({ watchedPath: '/' })
    const facts = await machine.facts()
    expect(facts.cores).toBeGreaterThan(0)
    expect(facts.memoryBytes).toBeGreaterThan(1024 ** 2)
    const seen = await machine.observe()
    expect(seen['memory.available']?.available).toBeLessThanOrEqual(facts.memoryBytes)
    expect(seen['pid.available']?.available).toBeGreaterThan(0)
  })

  it('leaves out what it cannot see', async () => {
    const machine = linuxMachine({ watchedPath: '/nowhere', root: '/nowhere' })
    await expect(machine.facts()).rejects.toThrow('ENOENT')
  })
})
