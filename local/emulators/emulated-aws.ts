/**
 * The environment variables that point every AWS library at an emulator. All of those that could
 * lead elsewhere are removed: no command of this folder may ever call a real account.
 */
export const EMULATED_REGION = 'us-east-1'
const KEY = 'test'

export function emulatedAws(endpoint: string, base: NodeJS.ProcessEnv = process.env) {
  const kept = Object.entries(base).filter(([name]) => !name.startsWith('AWS_'))
  return { ...Object.fromEntries(kept), ...emulatorVariables(endpoint) }
}

export const emulatorVariables = (endpoint: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: EMULATED_REGION,
  AWS_DEFAULT_REGION: EMULATED_REGION,
  AWS_ACCESS_KEY_ID: KEY,
  AWS_SECRET_ACCESS_KEY: KEY,
})

/** For this process: whatever it opens from now on is the emulator's. */
export function useEmulator(endpoint: string): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name]
  Object.assign(process.env, emulatorVariables(endpoint))
}

/** A call of Lambda's own API. Emulators check no signature, only which service is meant. */
export async function callLambda(
  endpoint: string,
  path: string,
  init: { readonly method?: string; readonly body?: string; readonly headers?: object } = {},
): Promise<Response> {
  const scope = `${KEY}/20260101/${EMULATED_REGION}/lambda/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`
  const response = await fetch(`${endpoint}/2015-03-31/functions/${path}`, {
    ...init,
    headers: { authorization, 'content-type': 'application/json', ...init.headers },
  })
  if (response.ok) return response
  throw new Error(`Lambda at ${endpoint} answered ${response.status}: ${await response.text()}`)
}
