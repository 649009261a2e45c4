/**
 * What does kubectl need to reach us? One cluster, one user, one context. JSON is YAML, so JSON it
 * is.
 */

export interface KubeconfigFacts {
  readonly server: string
  readonly caPem: string
  readonly token: string
}

export function kubeconfig(facts: KubeconfigFacts): string {
  const name = 'leasehold'
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: {
            server: facts.server,
            'certificate-authority-data': Buffer.from(facts.caPem).toString('base64'),
          },
        },
      ],
      users: [{ name: 'admin', user: { token: facts.token } }],
      contexts: [{ name, context: { cluster: name, user: 'admin' } }],
      'current-context': name,
    },
    undefined,
    2,
  )}\n`
}
