/** Who is signed in, what they may do, and the client that carries their token. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { KubeClient } from '../api/client.ts'
import type { May } from '../state/permissions.ts'

export interface UserSession {
  readonly client: KubeClient
  readonly user: string
  readonly may: May
  readonly signOut: () => void
}

export const SessionContext = createContext<UserSession | undefined>(undefined)

export function useSession(): UserSession {
  const session = useContext(SessionContext)
  if (!session) throw new Error('used outside of a signed-in session')
  return session
}
