import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandContext } from '../../../local/cli/command.ts'
import { openInstall } from '../../../local/cli/install.ts'
import { runProgram } from '../../../local/cli/program.ts'
import { dataFolder, writeEndpoints } from '../../../local/data-folder.ts'
import type { StoreAddress } from '../../../local/engine/store.ts'
import { ensureKeys, readPublicKeys } from '../../../local/keys.ts'
import { createAuthenticator } from '../../../shared/auth/authenticator.ts'
import { defaultIssuerAudience } from '../../../shared/auth/tokens/claims.ts'
import { keySet } from '../../../shared/auth/tokens/key-set.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'

const startMs = Date.UTC(2026, 0, 1)
const tables = { leases: 'l', objects: 'o' }

/** A data folder as local mode leaves it, a store behind it, and everything the program said. */
function newBench() {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-cli-'))
  const data = dataFolder(folder)
  ensureKeys(data)
  writeEndpoints(data, {
    api: 'https://127.0.0.1:6443',
    dynamodb: 'http://127.0.0.1:1',
    isSealed: false,
    tables,
  })
  const clock = { nowMs: startMs }
  const store = memoryStore({ clock: () => clock.nowMs })
  const opened: StoreAddress[] = []
  const said = { printed: [] as string[], told: [] as string[] }
  let ids = 0
  const openStore = async (address: StoreAddress) => {
    opened.push(address)
    return store
  }
  const context: CommandContext = {
    env: {},
    nowMs: () => clock.nowMs,
    randomInt: (below) => ++ids % below,
    newId: () => `id-${++ids}`,
    print: (line) => void said.printed.push(line),
    tell: (line) => void said.told.push(line),
    program: { command: 'node', args: ['main.ts'] },
    open: (location) => openInstall(location, openStore),
    interrupted: () => new AbortController().signal,
  }
  return { folder, data, clock, store, opened, said, context }
}

let bench: ReturnType<typeof newBench>
beforeEach(() => {
  bench = newBench()
})
afterEach(() => rmSync(bench.folder, { recursive: true }))

/** Runs one command line on the folder and answers what it printed. */
async function run(line: string, expectedCode = 0): Promise<string> {
  bench.said.printed.length = 0
  bench.said.told.length = 0
  const args = [...line.split(' ').filter(Boolean), '--data', bench.folder]
  const code = await runProgram(args, bench.context)
  expect(code, bench.said.told.join('\n')).toBe(expectedCode)
  return bench.said.printed.join('\n')
}

const told = () => bench.said.told.join('\n')

async function whoIs(token: string) {
  const onTrouble = () => {}
  const keys = keySet(() => readPublicKeys(bench.data), onTrouble)
  const { records } = bench.store
  const authenticator = createAuthenticator({ ...defaultIssuerAudience, keys, records, onTrouble })
  const answer = await authenticator.authenticate(`Bearer ${token}`, bench.clock.nowMs)
  return answer.kind === 'known' ? answer.identity : answer.kind
}

describe('token create', () => {
  it('signs for a person with groups', async () => {
    const token = await run('token create --user ann --group leasehold:viewers --group x --ttl 2h')
    expect(await whoIs(token)).toMatchObject({
      user: 'ann',
      groups: ['leasehold:viewers', 'x', 'system:authenticated'],
    })
    expect(told()).toBe('valid until 2026-01-01T02:00:00Z')
  })

  it('signs for a Node that exists, bound to its uid', async () => {
    const object = { metadata: { name: 'a', uid: 'u' } }
    await bench.store.commit([{ do: 'createObject', resource: 'nodes', object, fields: {} }])
    const token = await run('token create --node a')
    expect(await whoIs(token)).toMatchObject({ user: 'system:node:a', nodeUid: 'u' })
  })

  it.each([
    { when: 'nobody is named', line: 'token create', says: 'say for whom' },
    {
      when: 'the Node is not there',
      line: 'token create --node b',
      says: 'token bootstrap create',
    },
    {
      when: 'it would live too long',
      line: 'token create --user ann --ttl 13h',
      says: 'at most 12h',
    },
    { when: 'the duration is none', line: 'token create --user ann --ttl soon', says: 'write 30m' },
    { when: 'an option is unknown', line: 'token create --usr ann', says: '--help" says more' },
    { when: 'a word is left over', line: 'token create ann --user ann', says: 'what is "ann"?' },
    { when: 'a node is given groups', line: 'token create --node a --group x', says: 'no --group' },
  ])('says what to do when $when', async ({ line, says }) => {
    expect(await run(line, 2)).toBe('')
    expect(told()).toContain(says)
  })

  it('fails plainly when the key may not say that', async () => {
    await run('token create --user system:node:a', 1)
    expect(told()).toContain('the admin key may not sign for user system:node:a')
  })
})

describe('token revoke', () => {
  it('makes the tokens of a user void', async () => {
    const token = await run('token create --user ann')
    await run('token revoke --user ann')
    expect(await whoIs(token)).toBe('refused')
  })

  it('spares tokens issued since', async () => {
    const token = await run('token create --user ann')
    await run('token revoke --user ann --before 2026-01-01T00:00:00Z')
    expect(await whoIs(token)).toMatchObject({ user: 'ann' })
  })

  it.each([
    'token revoke',
    'token revoke --user a --node b',
    'token revoke --user a --before noon',
  ])('is told what is missing: %s', async (line) => {
    await run(line, 2)
    expect(told()).toMatch(/say whose|is no time/)
  })
})

describe('token bootstrap', () => {
  it('creates, lists and revokes, and shows the secret once', async () => {
    const token = await run('token bootstrap create --uses 3 --ttl 1h --description racks')
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/)
    expect(await whoIs(token)).toMatchObject({ user: `system:bootstrap:${token.slice(0, 6)}` })

    const list = await run('token bootstrap list')
    expect(list).toContain(`${token.slice(0, 6)}   2026-01-01T01:00:00Z   3 `)
    expect(list).not.toContain(token.slice(7))

    await run(`token bootstrap revoke ${token.slice(0, 6)}`)
    expect(await whoIs(token)).toBe('refused')
    await run(`token bootstrap revoke ${token.slice(0, 6)}`, 2)
    expect(told()).toContain('there is no bootstrap token')
  })

  it('refuses groups that would be refused later', async () => {
    await run('token bootstrap create --group system:masters', 1)
    expect(told()).toContain('write system:bootstrappers:')
  })
})

describe('kubeconfig', () => {
  it('calls this program for tokens, which then work', async () => {
    const config = JSON.parse(await run('kubeconfig --user ann --group leasehold:viewers'))
    expect(config.clusters[0].cluster.server).toBe('https://127.0.0.1:6443')
    const { command, args } = config.users[0].user.exec
    expect([command, args[0]]).toEqual(['node', 'main.ts'])

    const printed = await run(args.slice(1).join(' '))
    const { kind, status } = JSON.parse(printed)
    expect([kind, status.expirationTimestamp]).toEqual(['ExecCredential', '2026-01-01T01:00:00Z'])
    expect(await whoIs(status.token)).toMatchObject({ user: 'ann' })
    expect(bench.opened).toEqual([])
  })

  it('is written so that others cannot read it', async () => {
    const file = join(bench.folder, 'mine')
    await run(`kubeconfig --out ${file}`)
    expect(JSON.parse(readFileSync(file, 'utf8')).users[0].user.exec.args).toContain(
      'system:masters',
    )
    expect(told()).toContain(`kubectl --kubeconfig ${file} get nodes`)
  })
})

describe('keys rotate', () => {
  it('keeps tokens of the key before, once', async () => {
    const token = await run('token create --user ann')
    await run('keys rotate')
    expect(await whoIs(token)).toMatchObject({ user: 'ann' })
    await run('keys rotate --role admin', 2)
    expect(told()).toContain('cut them all off with --force')
    await run('keys rotate --role admin --force')
    expect(await whoIs(token)).toBe('refused')
  })
})

describe('an install in AWS', () => {
  it('is found by the outputs of the stack', async () => {
    const file = join(bench.folder, 'outputs.json')
    const outputs = { AdminKeyId: 'k', ApiUrl: 'https://api', LeasesTable: 'L', ObjectsTable: 'O' }
    writeFileSync(file, JSON.stringify({ Leasehold: outputs }))
    expect(await runProgram(['kubeconfig', '--outputs', file], bench.context)).toBe(0)
    const config = JSON.parse(bench.said.printed.join(''))
    expect(config.clusters[0].cluster).toEqual({ server: 'https://api' })
    expect(config.users[0].user.exec.args.slice(-2)).toEqual(['--admin-key', 'k'])

    await runProgram(['token', 'bootstrap', 'list', '--outputs', file], bench.context)
    expect(bench.opened).toEqual([{ tables: { leases: 'L', objects: 'O' } }])
  })

  it('is in the region and the account it was written for, whatever shell kubectl is called in', async () => {
    const env = { AWS_REGION: 'eu-north-1', AWS_PROFILE: 'night', AWS_SECRET_ACCESS_KEY: 'secret' }
    const args = ['kubeconfig', '--admin-key', 'k', '--server', 'https://api']
    expect(await runProgram(args, { ...bench.context, env })).toBe(0)
    expect(JSON.parse(bench.said.printed.join('')).users[0].user.exec.env).toEqual([
      { name: 'AWS_REGION', value: 'eu-north-1' },
      { name: 'AWS_PROFILE', value: 'night' },
    ])
  })

  it.each([
    { line: 'token create --user ann --server x', says: '--admin-key ID' },
    { line: 'token bootstrap list --server x', says: '--leases-table NAME' },
    { line: 'keys rotate --admin-key k', says: 'in AWS the keys live in KMS' },
  ])('says what is missing: $line', async ({ line, says }) => {
    expect(await runProgram(line.split(' '), bench.context)).toBe(2)
    expect(told()).toContain(says)
  })
})

/** Those of no feature. */
const COMMANDS = [
  'kubeconfig',
  'credential',
  'token create',
  'token revoke',
  'token bootstrap create',
  'token bootstrap list',
  'token bootstrap revoke',
  'keys rotate',
]

const isIndented = (line: string) => line.startsWith('  ')

describe('help', () => {
  it.each(COMMANDS)('of %s explains itself', async (command) => {
    const help = await run(`${command} --help`)
    expect(help).toContain(`Usage: npx --no-install leasehold ${command}`)
    expect(help).toContain('--data DIR')
  })

  it.each(['', '--help'])('of `%s` lists the commands, one on a line', async (line) => {
    expect(await runProgram(line.split(' ').filter(Boolean), bench.context)).toBe(0)
    const listed = bench.said.printed.join('\n').split('\n').filter(isIndented)
    for (const command of COMMANDS)
      expect(listed.filter((each) => each.startsWith(`  ${command} `))).toHaveLength(1)
  })

  it('of `token` lists its five commands', async () => {
    expect(await runProgram(['token', '--help'], bench.context)).toBe(0)
    const listed = bench.said.printed.join('\n').split('\n').filter(isIndented)
    expect(listed).toHaveLength(5)
  })

  it.each([
    {
      line: ['token', 'bootstrap'],
      says: 'say which: token bootstrap create, token bootstrap list',
    },
    { line: ['tokens'], says: 'there is no command "tokens"' },
    { line: ['--bogus'], says: "Unknown option '--bogus'" },
    { line: ['token', 'bootstrap', 'revoke'], says: 'ID is missing' },
  ])('$line is told in one sentence what is wrong', async ({ line, says }) => {
    expect(await runProgram(line, bench.context)).toBe(2)
    expect(told()).toContain(says)
    expect(told()).not.toContain('\n')
  })
})

describe('program', () => {
  const grant = 'program grant ksm --group leasehold:viewers'

  it('is granted a token, listed without it, and revoked', async () => {
    const token = await run(`${grant} --ends 30d --ttl 12h --description exporter`)
    expect(told()).toBe('valid until 2026-01-01T12:00:00Z; the grant ends 2026-01-31T00:00:00Z')
    expect(await whoIs(token)).toMatchObject({ user: 'program:ksm' })
    expect(await run('program list')).toBe(
      [
        'NAME   GROUPS              ENDS                   RENEWED                DESCRIPTION',
        'ksm    leasehold:viewers   2026-01-31T00:00:00Z   2026-01-01T00:00:00Z   exporter',
      ].join('\n'),
    )
    await run('program revoke ksm')
    expect(await whoIs(token)).toBe('refused')
    await run('program revoke ksm', 2)
  })

  it('finds a token and a kubeconfig that names it, for its owner only', async () => {
    const folder = join(bench.folder, 'ksm')
    await run(`${grant} --out ${folder}`)
    const token = readFileSync(join(folder, 'token'), 'utf8').trim()
    expect(await whoIs(token)).toMatchObject({ user: 'program:ksm' })
    const { users, clusters } = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
    expect(users).toEqual([{ name: 'ksm', user: { tokenFile: 'token' } }])
    expect(clusters[0].cluster.server).toBe('https://127.0.0.1:6443')
    for (const name of ['token', 'kubeconfig'])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('keeps its token when it cannot be renewed', async () => {
    const folder = join(bench.folder, 'ksm')
    await run(`${grant} --out ${folder}`)
    const before = readFileSync(join(folder, 'token'), 'utf8')
    // Nothing listens there.
    const config = readFileSync(join(folder, 'kubeconfig'), 'utf8')
    writeFileSync(join(folder, 'kubeconfig'), config.replace(':6443', ':1'))
    await run(`program renew ${folder}`, 1)
    expect(told()).toContain('not renewed')
    expect(readFileSync(join(folder, 'token'), 'utf8')).toBe(before)
  })

  it.each([
    { line: 'program grant ksm', says: 'say what it may do' },
    { line: 'program grant ksm --group system:masters', says: 'not given to programs' },
    { line: 'program grant Ksm --group leasehold:viewers', says: 'lower-case' },
    { line: `${grant} --ends 367d`, says: 'at most 366d' },
    { line: `${grant} --ttl 8d`, says: 'from 1h to 7d' },
    { line: `${grant} --ttl 59m`, says: 'from 1h to 7d' },
  ])('"$line" is refused', async ({ line, says }) => {
    await run(line, 2)
    expect(told()).toContain(says)
  })

  it('has one grant at a time', async () => {
    await run(grant)
    await run(grant, 2)
    expect(told()).toContain('program revoke ksm')
  })
})
