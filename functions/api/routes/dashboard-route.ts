/**
 * Serves the built page. Its files lie beside the bundle and are read on request, so they cost no
 * cold start. No token is needed: they hold only the program, and all data needs a token.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExtraRoute } from '../deps.ts'

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** No inline script, no other host, no frame, and no way to turn text into markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const SECURITY: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const FOR_EVER = 'public, max-age=31536000, immutable'

/** `folder` is what `npm run build:dashboard` wrote. */
export function dashboardRoutes(folder: string): readonly ExtraRoute[] {
  const files = remembered(() => listFiles(folder))
  const page = async (request: Request) =>
    (await serveFile(request, folder, 'index.html', await files())) ?? notBuilt()
  const asset = async (request: Request) => {
    const name = new URL(request.url).pathname.slice(1)
    return (await serveFile(request, folder, name, await files())) ?? text(404, 'no such file')
  }
  return [
    { path: '/', access: 'open', handle: page },
    { path: '/assets/*', access: 'open', handle: asset },
  ]
}

/** What is not on this list is never opened, whatever the path says. */
async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  try {
    const names = await readdir(folder, { recursive: true })
    return new Set(names.map((name) => name.replaceAll('\\', '/')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}

async function serveFile(
  request: Request,
  folder: string,
  name: string,
  files: ReadonlySet<string>,
): Promise<Response | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return text(405, 'use GET', { allow: 'GET, HEAD' })
  const type = contentTypes[name.split('.').at(-1) ?? '']
  if (!files.has(name) || type === undefined) return undefined

  const coding = codingFor(request.headers.get('accept-encoding') ?? '', name, files)
  const headers = {
    ...SECURITY,
    'content-type': type,
    // Names of assets change with their content; the page itself says which are the current ones.
    'cache-control': name === 'index.html' ? 'no-cache' : FOR_EVER,
    vary: 'Accept-Encoding',
    ...(coding && { 'content-encoding': coding.name }),
  }
  const body = await readFile(join(folder, name + (coding?.suffix ?? '')))
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(body), { headers })
}

/** The smallest first. */
const codings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

function codingFor(accepted: string, name: string, files: ReadonlySet<string>) {
  const offered = new Map(
    accepted.split(',').map((part) => {
      const [coding = '', quality = ''] = part.split(';')
      return [coding.trim().toLowerCase(), !/^\s*q=0(\.0*)?\s*$/i.test(quality)]
    }),
  )
  return codings.find((coding) => offered.get(coding.name) && files.has(name + coding.suffix))
}

const notBuilt = () =>
  text(503, 'The dashboard is not built. Run: npm run build:dashboard, and load this page again.')

function text(status: number, message: string, headers: Record<string, string> = {}): Response {
  const type = 'text/plain; charset=utf-8'
  const all = { ...SECURITY, ...headers, 'content-type': type, 'cache-control': 'no-store' }
  return new Response(`${message}\n`, { status, headers: all })
}

/** Files do not change while a process runs; only a folder without any is looked at again. */
function remembered(list: () => Promise<ReadonlySet<string>>) {
  let files: ReadonlySet<string> = new Set()
  return async () => {
    if (files.size === 0) files = await list()
    return files
  }
}
