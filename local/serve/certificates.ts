/**
 * The certificates of local mode. kubectl sends no token over plain http, so it needs TLS, and Node
 * cannot create X.509. A CA is created once per data folder, the server's certificate at each start.
 */
import { webcrypto } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
// @peculiar/x509 will not load without this polyfill.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { writePrivate } from '../private-file.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
const CA_DAYS = 3650
const SERVER_DAYS = 90
/** Valid from a little in the past, for clients whose clocks are behind. */
const EARLY_MS = 5 * 60_000

export interface ServerCertificate {
  readonly caPem: string
  readonly certPem: string
  readonly keyPem: string
}

/** `names` are host names and addresses by which it is called besides those of loopback. */
export async function serverCertificate(
  folder: string,
  nowMs: number,
  names: readonly string[] = [],
): Promise<ServerCertificate> {
  const ca = readAuthority(folder, nowMs) ?? (await createAuthority(folder, nowMs))
  const keys = await generateKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=leasehold-local',
    issuer: ca.certificate.subject,
    ...validity(nowMs, SERVER_DAYS),
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.keyPem),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
        { type: 'dns', value: 'localhost' },
        ...names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const),
      ]),
    ],
  })
  return {
    caPem: ca.certificate.toString('pem'),
    certPem: certificate.toString('pem'),
    keyPem: await exportKey(keys.privateKey),
  }
}

interface Authority {
  readonly certificate: x509.X509Certificate
  readonly keyPem: string
}

function readAuthority(folder: string, nowMs: number): Authority | undefined {
  const { certFile, keyFile } = authorityFiles(folder)
  if (!existsSync(certFile) || !existsSync(keyFile)) return undefined

  const certificate = new x509.X509Certificate(readFileSync(certFile, 'utf8'))
  const outlivesServer = certificate.notAfter.getTime() > nowMs + SERVER_DAYS * DAY_MS
  return outlivesServer ? { certificate, keyPem: readFileSync(keyFile, 'utf8') } : undefined
}

async function createAuthority(folder: string, nowMs: number): Promise<Authority> {
  const keys = await generateKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=leasehold-local-ca',
    ...validity(nowMs, CA_DAYS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  const { certFile, keyFile } = authorityFiles(folder)
  const keyPem = await exportKey(keys.privateKey)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writePrivate(keyFile, keyPem)
  writePrivate(certFile, certificate.toString('pem'))
  return { certificate, keyPem }
}

const authorityFiles = (folder: string) => ({
  certFile: join(folder, 'ca.crt'),
  keyFile: join(folder, 'ca.key'),
})

const validity = (nowMs: number, days: number) => ({
  notBefore: new Date(nowMs - EARLY_MS),
  notAfter: new Date(nowMs + days * DAY_MS),
})

const generateKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(pem)
  if (der === undefined) throw new Error('the key of the local CA is not a PEM file; delete it')
  return await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])
}
