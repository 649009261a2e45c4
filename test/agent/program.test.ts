import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConfigError, readConfig } from '../../agent/config/config.ts'
import { silentLog } from '../../agent/log.ts'
import { assembleAgent, isPlainText, tokenIn } from '../../agent/program.ts'

const TOKEN = 'secret.ofthishost123456'
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-program-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

describe('the file of the bootstrap token', () => {
  const written = (text: string) => {
    writeFileSync(join(folder, 'token'), text)
    return join(folder, 'token')
  }

  it('may end with a line break, be empty, or be gone after joining', () => {
    expect(tokenIn(written(`${TOKEN}\n`))).toBe(TOKEN)
    expect(tokenIn(written('\n'))).toBeUndefined()
    expect(tokenIn(join(folder, 'none'))).toBeUndefined()
  })

  it('is refused when it holds something else, which is not shown', () => {
    const read = () => tokenIn(written(`${TOKEN} # the token`))
    expect(read).toThrow(ConfigError)
    expect(read).toThrow('--bootstrap-token-file: is not of the form')
    expect(read).not.toThrow(TOKEN)
  })
})

it('asks for a name where the host name cannot be one', async () => {
  vi.spyOn(os, 'hostname').mockReturnValue('my_host')
  const args = ['--server', 'https://s', '--state-dir', folder]
  const config = readConfig({ args, env: {}, readFile: () => '' })
  const { signal } = new AbortController()
  await expect(assembleAgent(config, silentLog, signal)).rejects.toThrow('--node-name: "my_host"')
})

it.each([
  { server: 'https://leasehold.example.com', isHeard: false },
  { server: 'http://127.0.0.1:8080', isHeard: false },
  { server: 'http://[::1]:8080', isHeard: false },
  { server: 'http://localhost', isHeard: false },
  { server: 'http://127.0.0.1.example.com', isHeard: true },
  { server: 'http://10.0.0.1', isHeard: true },
])('tokens to $server can be overheard: $isHeard', ({ server, isHeard }) => {
  expect(isPlainText(server)).toBe(isHeard)
})
