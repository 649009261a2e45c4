/** Who is signed in, what they may do, and what everything below asks the server with. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Client } from '../api/client.ts'
import type { May } from '../state/permissions.ts'

export interface Session {
  readonly client: Client
  readonly user: string
  readonly may: May
  readonly signOut: () => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('nobody is signed in')
  return session
}
