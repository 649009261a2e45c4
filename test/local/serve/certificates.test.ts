import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serverCertificate } from '../../../local/serve/certificates.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const YEAR_MS = 365 * 86_400_000
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('names every address a local client may use, and is signed by the CA it hands out', async () => {
  const { caPem, certPem } = await serverCertificate(folder, NOW_MS)
  const certificate = new X509Certificate(certPem)
  const ca = new X509Certificate(caPem)

  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.checkIP('::1')).toBe('::1')
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.verify(ca.publicKey)).toBe(true)
  expect(ca.ca).toBe(true)
  expect(certificate.ca).toBe(false)
})

it('names what hosts of a network call it', async () => {
  const { certPem } = await serverCertificate(folder, NOW_MS, ['10.0.0.5', 'leasehold.test'])
  const certificate = new X509Certificate(certPem)
  expect(certificate.checkIP('10.0.0.5')).toBe('10.0.0.5')
  expect(certificate.checkHost('leasehold.test')).toBe('leasehold.test')
  expect(certificate.checkHost('other.test')).toBeUndefined()
})

it('keeps its CA across starts, so that an old kubeconfig goes on working', async () => {
  const first = await serverCertificate(folder, NOW_MS)
  const second = await serverCertificate(folder, NOW_MS + 1)
  expect(second.caPem).toBe(first.caPem)
  expect(second.certPem).not.toBe(first.certPem)
})

it('makes a new CA before the old one runs out', async () => {
  const first = await serverCertificate(folder, NOW_MS)
  const later = await serverCertificate(folder, NOW_MS + 10 * YEAR_MS)
  expect(later.caPem).not.toBe(first.caPem)
})

it('keeps its key from other users', async () => {
  await serverCertificate(folder, NOW_MS)
  expect(statSync(join(folder, 'ca.key')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, 'ca.key'), 'utf8')).toContain('BEGIN PRIVATE KEY')
})
