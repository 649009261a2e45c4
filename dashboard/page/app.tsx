/** The page: signed out it is the way in; signed in, one of four views under a common head. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { ApiError, apiClient, type Client } from '../api/client.ts'
import { mayOf, type RulesReview } from '../state/permissions.ts'
import { Login } from './login.tsx'
import { type Session, SessionContext } from './session.ts'
import { Shell } from './shell.tsx'
import { tokenShelf } from './token-shelf.ts'

const shelf = tokenShelf(() => sessionStorage)
const EXPIRED = 'Your token is no longer valid. Sign in again to go on where you were.'

export function App() {
  const [session, setSession] = useState<Session>()
  const [notice, setNotice] = useState('')
  const [isResuming, setResuming] = useState(shelf.read() !== undefined)

  const signOut = useCallback((why: string) => {
    shelf.forget()
    setNotice(why)
    setSession(undefined)
  }, [])

  const signIn = useCallback(
    async (token: string) => {
      const onUnauthorized = () => signOut(EXPIRED)
      const fetch = globalThis.fetch.bind(globalThis)
      const client = apiClient({ token, fetch, clock: Date.now, onUnauthorized })
      const who = await introduce(client)
      shelf.keep(token)
      setNotice('')
      setSession({ client, ...who, signOut: () => signOut('') })
    },
    [signOut],
  )

  useEffect(() => {
    const token = shelf.read()
    if (token === undefined) return
    const stay = (error: Error) => setNotice(error.message)
    void signIn(token)
      .catch(stay)
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

async function introduce(client: Client): Promise<Pick<Session, 'user' | 'may'>> {
  try {
    const [self, rules] = await Promise.all([
      client.send<SelfSubjectReview>(
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        review('authentication.k8s.io/v1', 'SelfSubjectReview'),
      ),
      client.send<RulesReview>('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        ...review('authorization.k8s.io/v1', 'SelfSubjectRulesReview'),
        spec: { namespace: 'default' },
      }),
    ])
    return { user: self.status?.userInfo?.username ?? '', may: mayOf(rules) }
  } catch (error) {
    throw explained(error)
  }
}

const review = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: {} })

function explained(error: unknown): Error {
  if (!(error instanceof ApiError))
    return new Error('The server cannot be reached. Is it running, and is this its address?')
  if (error.code === 401) return new Error('The server does not accept this token.')
  if (error.code === 403) return new Error('This token may not look at the fleet.')
  return new Error(error.message)
}
