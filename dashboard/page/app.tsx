/** The page: a login form, or the views once the user has signed in. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { ApiError, type KubeClient, kubeClient, tokenStorage } from '../api/client.ts'
import { mayOf, type SelfSubjectRulesReview } from '../state/permissions.ts'
import { Login } from './login.tsx'
import { SessionContext, type UserSession } from './session.ts'
import { Shell } from './shell.tsx'

const storedToken = tokenStorage(() => sessionStorage)
const EXPIRED = 'Your token is no longer valid. Sign in again to go on where you were.'

export function DashboardApp() {
  const [session, setSession] = useState<UserSession>()
  const [notice, setNotice] = useState('')
  const [isResuming, setResuming] = useState(storedToken.read() !== undefined)

  const signOut = useCallback((why: string) => {
    storedToken.clear()
    setNotice(why)
    setSession(undefined)
  }, [])

  const signIn = useCallback(
    async (token: string) => {
      const onUnauthorized = () => signOut(EXPIRED)
      const fetch = globalThis.fetch.bind(globalThis)
      const client = kubeClient({ token, fetch, clock: Date.now, onUnauthorized })
      const identity = await readIdentity(client)
      storedToken.write(token)
      setNotice('')
      setSession({ client, ...identity, signOut: () => signOut('') })
    },
    [signOut],
  )

  useEffect(() => {
    const token = storedToken.read()
    if (token === undefined) return
    const show = (error: Error) => setNotice(error.message)
    void signIn(token)
      .catch(show)
      .finally(() => setResuming(false))
  }, [signIn])

  if (session)
    return (
      <SessionContext.Provider value={session}>
        <Shell />
      </SessionContext.Provider>
    )
  return isResuming ? <main aria-busy="true" /> : <Login notice={notice} signIn={signIn} />
}

interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string } }
}

async function readIdentity(client: KubeClient): Promise<Pick<UserSession, 'user' | 'may'>> {
  try {
    const [self, rules] = await Promise.all([
      client.send<SelfSubjectReview>(
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        review('authentication.k8s.io/v1', 'SelfSubjectReview'),
      ),
      client.send<SelfSubjectRulesReview>(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        {
          ...review('authorization.k8s.io/v1', 'SelfSubjectRulesReview'),
          spec: { namespace: 'default' },
        },
      ),
    ])
    return { user: self.status?.userInfo?.username ?? '', may: mayOf(rules) }
  } catch (error) {
    throw signInError(error)
  }
}

const review = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: {} })

function signInError(error: unknown): Error {
  if (!(error instanceof ApiError))
    return new Error('The server cannot be reached. Is it running, and is this its address?')
  if (error.code === 401) return new Error('The server does not accept this token.')
  if (error.code === 403) return new Error('This token may not look at the fleet.')
  return new Error(error.message)
}
