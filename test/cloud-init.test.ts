/** The user data in docs/agent.md, as far as that can be told without cloud-init. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../agent/config/config.ts'

interface UserData {
  readonly write_files: readonly { path: string; content: string; permissions?: string }[]
  readonly runcmd: readonly string[]
}

it('writes a configuration that the agent takes, keeps the token private and installs', () => {
  const [, text = ''] =
    /```yaml\n(#cloud-config\n[\s\S]*?)```/.exec(readFileSync('docs/agent.md', 'utf8')) ?? []
  const { write_files: files, runcmd }: UserData = parse(text)
  const [conf, token] = files
  const readFile = (path: string) => files.find((file) => file.path === path)?.content ?? ''
  const args = ['--config', conf!.path, '--bootstrap-token-file', token!.path]
  const config = readConfig({ args, env: {}, readFile })
  expect(config).toMatchObject({ cloud: 'aws', bootstrapToken: 'abcdef.0123456789abcdef' })
  expect(token?.permissions).toBe('0600')
  expect(runcmd.at(-1)).toMatch(/apt-get install .*\.deb$/)
})
