/** A real browser, and pages that complain about everything a user's console would show. */
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core'

/**
 * Not those the package proposes: they put everything into one process, which ends with its first
 * page.
 */
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote']

export async function launch(): Promise<Browser> {
  const executablePath = await unpacked()
  return await playwright.launch({ executablePath, args })
}

const LOCK = join(tmpdir(), 'leasehold-unpacking-chromium')
const UNPACKED_WITHIN_MS = 60_000

/**
 * The browser is unpacked at first use. A second process would run half of it, so it waits for the
 * first.
 */
async function unpacked(): Promise<string> {
  const untilMs = performance.now() + UNPACKED_WITHIN_MS
  // A process that died while holding the lock is not waited for for ever.
  while (!isTaken() && performance.now() < untilMs) await sleep(100)
  try {
    return await chromium.executablePath()
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}

function isTaken(): boolean {
  try {
    mkdirSync(LOCK)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

export interface Watched {
  readonly page: Page
  /** Errors, warnings of the policy and uncaught exceptions, in the order they came. */
  readonly complaints: string[]
}

export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  return { page, complaints }
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
