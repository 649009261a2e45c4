import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemdDriver, unitName } from '../../../agent/pods/systemd-driver.ts'

const pod = (name: string) => ({ metadata: { name } })

describe('systemd units', () => {
  it.each([
    { name: 'web', unit: 'leasehold-web.service' },
    { name: 'db.primary-1', unit: 'leasehold-db.primary-1.service' },
    { name: '--force', unit: undefined },
    { name: 'a;reboot', unit: undefined },
    { name: 'a b', unit: undefined },
    { name: 'a@b', unit: undefined },
    { name: '../x', unit: undefined },
    { name: 'a\nb', unit: undefined },
    { name: '', unit: undefined },
  ])('pod $name is $unit', ({ name, unit }) => {
    expect(unitName(pod(name), 'leasehold-')).toBe(unit)
  })

  it.each([
    { namespace: 'default', name: 'web', unit: 'leasehold-web.service' },
    { namespace: 'shop', name: 'web', unit: 'leasehold-shop_web.service' },
    { namespace: 'shop-a', name: 'b', unit: 'leasehold-shop-a_b.service' },
    { namespace: 'shop', name: 'a-b', unit: 'leasehold-shop_a-b.service' },
    { namespace: '../x', name: 'web', unit: undefined },
  ])('pod $name of $namespace is $unit', ({ namespace, name, unit }) => {
    expect(unitName({ metadata: { namespace, name } }, 'leasehold-')).toBe(unit)
  })

  it('refuses a prefix that would be an option', () => {
    expect(() => systemdDriver('--x')).toThrow('cannot begin the name')
  })

  it('that are not there are as good as stopped, so that their pods can end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leasehold-systemctl-'))
    const program = join(folder, 'systemctl')
    writeFileSync(program, '#!/bin/sh\nexit 5\n', { mode: 0o755 })
    const driver = systemdDriver('leasehold-', program)
    expect(await driver.stop(pod('web'))).toMatchObject({ ok: true })
    expect(await driver.stop(pod('no@name'))).toMatchObject({ ok: true })
    expect(await driver.start(pod('web'))).toMatchObject({ ok: false })
    rmSync(folder, { recursive: true })
  })

  it.each([
    { when: 'one of them is not there', code: 5, ok: true },
    { when: 'one of them does not stop', code: 1, ok: false },
  ])('are fenced when $when: $ok', async ({ code, ok }) => {
    const folder = mkdtempSync(join(tmpdir(), 'leasehold-systemctl-'))
    const program = join(folder, 'systemctl')
    const text = `case "$*" in *leasehold-odd.service*) exit ${code} ;; esac`
    writeFileSync(program, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    const driver = systemdDriver('leasehold-', program)
    expect(await driver.fence([pod('web'), pod('odd')])).toMatchObject({ ok })
    rmSync(folder, { recursive: true })
  })

  it('are started and stopped by name, after the end of options', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leasehold-systemctl-'))
    const program = join(folder, 'systemctl')
    writeFileSync(program, `#!/bin/sh\necho "$@" >> ${folder}/calls\n`)
    chmodSync(program, 0o755)
    const driver = systemdDriver('leasehold-', program)
    expect(await driver.start(pod('web'))).toMatchObject({ ok: true })
    await driver.stop(pod('web'))
    await driver.fence([pod('web'), pod('db')])
    expect(await driver.start(pod('--bad'))).toMatchObject({ ok: false })
    expect(readFileSync(`${folder}/calls`, 'utf8').trim().split('\n')).toEqual([
      '--no-ask-password start -- leasehold-web.service',
      '--no-ask-password stop -- leasehold-web.service',
      '--no-ask-password kill --signal=KILL -- leasehold-web.service leasehold-db.service',
      '--no-ask-password stop -- leasehold-web.service leasehold-db.service',
    ])
    rmSync(folder, { recursive: true })
  })
})
