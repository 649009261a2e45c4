/**
 * One browser, one server and a freshly built page for a file of tests; whatever a console shows
 * fails the test.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { buildDashboard } from '../../dashboard/build.ts'
import { launch, newPage, signIn, type Watched } from './browser.ts'
import { startTestServer, type TestServer } from './test-server.ts'

export interface BrowserSetup {
  readonly server: () => TestServer
  readonly folder: () => string
  /** A page of its own, signed in with a token unless that is empty. */
  open(path: string, token?: string, options?: BrowserContextOptions): Promise<Page>
  /** The browser itself complains of answers like 401; a test that provokes them says so. */
  expectFailedRequests(): void
}

const FAILED_REQUEST = /^Failed to load resource/

export function setupBrowser(): BrowserSetup {
  let browser: Browser
  let server: TestServer
  let folder = ''
  let pages: Watched[] = []
  let isFailing = false

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leasehold-page-'))
    await buildDashboard(folder)
    server = await startTestServer(folder)
    browser = await launch()
  })
  afterEach(async () => {
    const complaints = pages.flatMap(({ complaints }) => complaints)
    for (const { page } of pages) await page.context().close()
    pages = []
    expect(complaints.filter((text) => !isFailing || !FAILED_REQUEST.test(text))).toEqual([])
    isFailing = false
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    server: () => server,
    folder: () => folder,
    async open(path, token = 'admin', options = {}) {
      const watched = await newPage(browser, options)
      pages.push(watched)
      await watched.page.goto(`${server.url}${path}`)
      if (token) await signIn(watched.page, token)
      return watched.page
    },
    expectFailedRequests() {
      isFailing = true
    },
  }
}
