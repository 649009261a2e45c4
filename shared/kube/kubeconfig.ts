/** The text of a kubeconfig: one cluster, one user, one context. JSON is YAML, so JSON it is. */

interface KubeconfigFacts {
  readonly server: string
  /** PEM; absent where the public authorities are enough. */
  readonly ca: string | undefined
  readonly user: string
  /** kubectl's `user` entry: a token, a file that is read again, or a plugin that prints one. */
  readonly auth:
    | { readonly token: string }
    | { readonly tokenFile: string }
    | { readonly exec: object }
}

export function kubeconfigText({ server, ca, user, auth }: KubeconfigFacts): string {
  const name = 'leasehold'
  const authority = ca !== undefined && {
    'certificate-authority-data': Buffer.from(ca).toString('base64'),
  }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...authority } }],
    users: [{ name: user, user: auth }],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  }
  return JSON.stringify(config, undefined, 2)
}
