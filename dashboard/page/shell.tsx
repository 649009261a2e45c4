/** What every view has above it: the menu, the state of the connection, notices about the fleet. */
import { useEffect, useState } from 'preact/hooks'
import { routes } from '../routes.ts'
import { bannersOf } from '../state/banners.ts'
import { span } from '../state/format.ts'
import { routeFor } from '../state/query.ts'
import { fleetRoute } from '../views/fleet.tsx'
import { type ConnectionState, connection } from './connection.ts'
import { FleetStatusContext, useFleetStatus, useFleetStatusLists } from './fleet-status.ts'
import { Link } from './link.tsx'
import { useQuery, type ViewRoute } from './navigation.ts'
import { PauseSwitch } from './pause-switch.tsx'
import { useSession } from './session.ts'
import { SECOND_MS, useNow } from './use-now.ts'

export function Shell() {
  const status = useFleetStatusLists()
  const query = useQuery()
  const route = routeFor(routes, query) ?? fleetRoute
  const title = route.title(query)
  useEffect(() => {
    document.title = `${title} · Leasehold`
  }, [title])
  return (
    <FleetStatusContext.Provider value={status}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Head route={route} />
      <LostBanner />
      <Banners />
      <main id="content" tabIndex={-1}>
        <route.View query={query} />
      </main>
    </FleetStatusContext.Provider>
  )
}

function Head({ route }: { readonly route: ViewRoute }) {
  const { user, signOut } = useSession()
  const { lost } = useConnection()
  return (
    <header class="head">
      <span class="brand">Leasehold</span>
      <nav aria-label="Views">
        {[fleetRoute, ...routes].map(
          ({ view, menu, title }) =>
            menu && (
              <Link key={view} to={menu} current={view === route.view}>
                {title(menu)}
              </Link>
            ),
        )}
      </nav>
      <span class={lost ? 'pulse lost' : 'pulse'}>{lost ? 'not connected' : 'live'}</span>
      <span class="user" title={`Signed in as ${user}`}>
        {user}
      </span>
      <button type="button" class="small" onClick={signOut}>
        Sign out
      </button>
    </header>
  )
}

/** Shown while the server cannot be reached, with the age of what is displayed. */
function LostBanner() {
  const { lost, heardAtMs } = useConnection()
  const [nowMs, setNowMs] = useState(Date.now())
  useEffect(() => {
    if (!lost) return undefined
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [lost])
  if (!lost) return null
  return (
    <section class="banner lost" aria-label="Connection">
      <strong role="alert">Connection lost.</strong>
      <span>What you see is {span(nowMs - heardAtMs)} old. Trying again by itself.</span>
    </section>
  )
}

function Banners() {
  const { fleet } = useFleetStatus()
  const nowMs = useNow()
  return (
    <div>
      {bannersOf(fleet, nowMs).map(({ id, title, since, text }) => (
        <section key={id} class={`banner ${id}`} aria-label="Notice">
          <strong role="status">{title}</strong>
          <span>
            {since} {text}
          </span>
          {id === 'paused' && (
            <PauseSwitch resource="fleets" name="fleet" title="the whole fleet" isPaused />
          )}
        </section>
      ))}
    </div>
  )
}

function useConnection(): ConnectionState {
  const [state, setState] = useState(connection.state())
  useEffect(() => connection.subscribe(() => setState(connection.state())), [])
  return state
}
