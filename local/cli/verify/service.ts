/** The service as an administrator sees it, over its public API. */
import type { Transport } from '../../../agent/http.ts'

export interface Service {
  /** Undefined when there is no such object. */
  get<T>(path: string): Promise<T | undefined>
  create(path: string, object: object): Promise<void>
  annotate(path: string, annotations: Readonly<Record<string, string>>): Promise<void>
  /** One that is gone already is as good. */
  remove(path: string): Promise<void>
}

export function serviceWith(transport: Transport, token: string): Service {
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<unknown> => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : undefined
    const response = await transport.exchange({ method, path, body, contentType }, token)
    if (response.code >= 200 && response.code < 300) return response.body
    if (response.code === 404 && method !== 'POST') return undefined
    throw new Error(`${method} ${path}: ${response.why}`)
  }
  return {
    get: async <T>(path: string) => (await send('GET', path)) as T | undefined,
    create: async (path, object) => void (await send('POST', path, object)),
    annotate: async (path, annotations) =>
      void (await send('PATCH', path, { metadata: { annotations } })),
    remove: async (path) => void (await send('DELETE', path, { gracePeriodSeconds: 0 })),
  }
}
