import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../agent/config/config.ts'
import { agentHelp, FLAGS } from '../../../agent/config/flags.ts'

const server = ['--server', 'https://s']
const read = (args: string[], env: Record<string, string> = {}, file = '') =>
  readConfig({ args, env, readFile: () => file })

describe('configuration', () => {
  it('takes a flag before the environment, that before the file, and that before the default', () => {
    const file = 'zone = from-file\nmax-pods=5\nregion=from-file\n# a comment\n\nleave\n'
    const env = { LEASEHOLD_ZONE: 'from-env', LEASEHOLD_REGION: 'from-env', LEASEHOLD_CONFIG: 'f' }
    const config = read([...server, '--zone', 'from-flag'], env, file)
    expect(config.settings.labels).toEqual({
      'topology.kubernetes.io/zone': 'from-flag',
      'topology.kubernetes.io/region': 'from-env',
    })
    expect(config.settings.maxPods).toBe(5)
    expect(config.leavesOnTerm).toBe(true)
    expect(config.settings.graceMs).toBe(50_000)
  })

  it('keeps its token where systemd says', () => {
    expect(read(server, { STATE_DIRECTORY: '/var/lib/x' }).stateDir).toBe('/var/lib/x')
  })

  it('reads thresholds the way the kubelet writes them', () => {
    const { thresholds } = read([...server, '--eviction-hard', 'nodefs.available<1Gi']).settings
    expect(thresholds).toMatchObject([{ signal: 'nodefs.available', limit: { amount: 1024 ** 3 } }])
  })

  it.each([
    { when: 'there is no server', args: [], says: '--server is required' },
    { when: 'the server is no address', args: ['--server', 'x'], says: 'is not an address' },
    { when: 'a flag is unknown', args: [...server, '--zon'], says: "Unknown option '--zon'" },
    {
      when: 'a duration has no unit',
      args: [...server, '--node-status-update-frequency', '5x'],
      says: 'is not a duration',
    },
    {
      when: "a label is not the host's to set",
      args: [...server, '--node-labels', 'node-restriction.kubernetes.io/a=b'],
      says: 'may not set the label',
    },
    {
      when: 'a taint has no effect',
      args: [...server, '--register-with-taints', 'a=b'],
      says: 'is not a taint',
    },
    {
      when: 'a bootstrap token is cut off',
      args: [...server, '--bootstrap-token', 'abcdef.0123'],
      says: 'abcdef.0123456789abcdef',
    },
    { when: 'it fences nothing', args: [...server, '--fence'], says: '--fence needs --pod-hook' },
    {
      when: 'a lease is negative',
      args: [...server, '--node-lease-duration-seconds=-1'],
      says: 'must not be negative',
    },
    {
      when: 'a name is illegal',
      args: [...server, '--node-name', 'a_b'],
      says: 'is not a legal name',
    },
    {
      when: 'a soft threshold has no grace',
      args: [...server, '--eviction-soft', 'memory.available<1Gi'],
      says: 'needs a grace period',
    },
  ])('is refused when $when', ({ args, says }) => {
    expect(() => read(args)).toThrow(ConfigError)
    expect(() => read(args)).toThrow(says)
  })

  it.each([
    {
      when: 'a switch has another value',
      args: ['--register-node', 'no'],
      says: 'neither true nor',
    },
    {
      when: 'a cloud is unknown',
      args: ['--cloud-provider', 'gcp'],
      says: 'there is none and aws',
    },
    { when: 'an address is none', args: ['--node-external-ip', '1.2.3'], says: 'is not an ip' },
  ])('is refused when $when', ({ args, says }) => {
    expect(() => read([...server, ...args])).toThrow(says)
  })

  describe('the file of a token', () => {
    const TOKEN = 'secret.ofthishost123456'
    const gone = () => {
      throw Object.assign(new Error('gone'), { code: 'ENOENT' })
    }
    const tokenIn = (readFile: () => string, name = 'bootstrap') =>
      readConfig({ args: [...server, `--${name}-token-file`, 'f'], env: {}, readFile })

    it('may end with a line break, be empty, or be gone after joining', () => {
      expect(tokenIn(() => `${TOKEN}\n`).bootstrapToken).toBe(TOKEN)
      expect(tokenIn(() => '\n').bootstrapToken).toBeUndefined()
      expect(tokenIn(gone).bootstrapToken).toBeUndefined()
      expect(tokenIn(() => 'a.b.c\n', 'node').nodeToken).toBe('a.b.c')
    })

    it.each(['bootstrap', 'node'])('of a %s is refused when it holds something else', (name) => {
      const reading = () => tokenIn(() => `${TOKEN} # the token`, name)
      expect(reading).toThrow(ConfigError)
      expect(reading).toThrow(`--${name}-token-file: is not`)
      expect(reading).not.toThrow(TOKEN)
    })
  })

  it('tells all that is wrong at once, files included', () => {
    const readFile = () => {
      throw new Error('no such file')
    }
    const args = ['--ca-file', 'ca', '--bootstrap-token-file', 'token', '--max-pods', 'many']
    const run = () => readConfig({ args, env: {}, readFile })
    expect(run).toThrow(
      /--ca-file: no such[\s\S]*--bootstrap-token-file[\s\S]*--max-pods[\s\S]*--server/,
    )
  })

  it('tells all that is wrong at once', () => {
    const run = () => read(['--max-pods', 'many', '--node-ip', '', '--fence'])
    expect(run).toThrow(/--max-pods[\s\S]*--server[\s\S]*--fence/)
  })

  it('says where in the file a line is wrong', () => {
    expect(() => read(['--config', 'f'], {}, 'zone=a\nzoned=b\n')).toThrow('f:2: "zoned"')
  })

  it('keeps to itself what may be a token under a misspelt name', () => {
    const run = () => read(['--config', 'f'], {}, 'bootstrap_token=abcdef.0123456789abcdef\n')
    expect(run).toThrow('"bootstrap_token"')
    expect(run).not.toThrow('0123456789abcdef')
  })

  it('that cannot be read is told as such', () => {
    const readFile = () => {
      throw new Error('ENOENT: no such file')
    }
    const run = () => readConfig({ args: ['--config', 'f'], env: {}, readFile })
    expect(run).toThrow(ConfigError)
    expect(run).toThrow('--config: ENOENT')
  })

  it('explains every option', () => {
    for (const name of Object.keys(FLAGS)) expect(agentHelp()).toContain(`--${name}`)
    expect(read(['--help']).mode).toBe('help')
  })
})
