/** A real browser, and pages that complain about everything a user's console would show. */
import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core'

/** Not those the package proposes: they put everything into one process, which ends with its first page. */
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote']

export async function launch(): Promise<Browser> {
  const executablePath = await chromium.executablePath()
  return await playwright.launch({ executablePath, args })
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
