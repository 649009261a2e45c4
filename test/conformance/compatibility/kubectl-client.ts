/** kubectl, one command per verb. */
import type { Resource } from '../../../shared/kube/resource.ts'
import type { Kubectl } from '../kubectl/binaries.ts'
import { shellFor } from '../kubectl/shell.ts'
import { ANNOTATED, type Attempt, type Client, readable } from './client.ts'
import { bodyOf, collectionOf, collectionPath } from './samples.ts'

const WATCH_STANDS = /watch=true.*200 OK/

export function kubectlClient(kubectl: Kubectl, kubeconfig: string): Client {
  const shell = shellFor(kubectl, kubeconfig)
  const run = async (command: string) => {
    const output = await shell.type(command)
    if (/\[exit \d+\]\n$/.test(output)) throw new Error(`${command}: ${output}`)
  }
  const piped = (attempt: Attempt) => `echo '${JSON.stringify(bodyOf(attempt))}' | kubectl`
  return {
    letter: 'K',
    verbs: {
      create: (attempt) => run(`${piped(attempt)} create ${rawPath(attempt)} -f -`),
      get: (attempt) => run(`kubectl get ${named(attempt)}`),
      list: ({ resource }) => run(`kubectl get ${typeOf(resource)}`),
      update: (attempt) =>
        run(
          `kubectl get ${named(readable(attempt))} -o json | kubectl replace ${how(attempt)} -f -`,
        ),
      patch: (attempt) =>
        run(`kubectl patch ${named(attempt)} --type merge -p '${JSON.stringify(ANNOTATED)}'`),
      delete: (attempt) => run(`kubectl delete ${named(attempt)} --timeout=20s`),
      deletecollection: (attempt) => run(`kubectl delete --raw '${collectionOf(attempt)}'`),
      async watch({ resource }) {
        const child = shell.start(`exec kubectl get ${typeOf(resource)} -w -v=6`)
        let all = ''
        for await (const chunk of child.stdout!) {
          all += chunk
          if (WATCH_STANDS.test(all)) return child.kill()
        }
        throw new Error(`no watch: ${all}`)
      },
    },
    close: () => shell.remove(),
  }
}

const typeOf = ({ plural, group }: Resource) => (group ? `${plural}.v1.${group}` : plural)
const part = ({ subresource }: Attempt) => (subresource ? `--subresource=${subresource}` : '')
/** `--subresource` knows no finalize. */
const how = (attempt: Attempt) =>
  attempt.subresource === 'finalize' ? rawPath(attempt) : part(attempt)
const named = (attempt: Attempt) => `${typeOf(attempt.resource)} ${attempt.name} ${part(attempt)}`

/** What has no command of its own goes by its path. */
const rawPath = ({ resource, subresource, name }: Attempt) =>
  subresource ? `--raw ${collectionPath(resource)}/${name}/${subresource}` : ''
