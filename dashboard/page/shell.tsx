/**
 * What stands above every view: where one can go, whether we still hear the server, and what
 * everybody must know.
 */
import { useEffect, useState } from 'preact/hooks'
import { bannersOf } from '../state/banners.ts'
import { noFilter, type Place } from '../state/place.ts'
import { span } from '../state/words.ts'
import { ActivityView } from '../views/activity.tsx'
import { FleetView } from '../views/fleet.tsx'
import { LeasesView } from '../views/leases.tsx'
import { NodeView } from '../views/node.tsx'
import { useContact } from './contact.ts'
import { FleetStatusContext, useFleetStatus, useStatus } from './fleet-status.ts'
import { Link } from './link.tsx'
import { usePlace } from './navigation.ts'
import { PauseSwitch } from './pause-switch.tsx'
import { useSession } from './session.ts'
import { SECOND_MS, useNow } from './use-now.ts'

export function Shell() {
  const status = useFleetStatus()
  const place = usePlace()
  const title = titleOf(place)
  useEffect(() => {
    document.title = `${title} · Leasehold`
  }, [title])
  return (
    <FleetStatusContext.Provider value={status}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Head place={place} />
      <LostBanner />
      <Banners />
      <main id="content" tabIndex={-1}>
        <View place={place} />
      </main>
    </FleetStatusContext.Provider>
  )
}

function View({ place }: { readonly place: Place }) {
  if (place.view === 'node') return <NodeView key={place.name} name={place.name} />
  if (place.view === 'leases') return <LeasesView namespace={place.namespace} />
  if (place.view === 'activity') return <ActivityView />
  return <FleetView filter={place.filter} />
}

function titleOf(place: Place): string {
  if (place.view === 'node') return place.name
  return { fleet: 'Fleet', leases: 'Leases', activity: 'Activity' }[place.view]
}

function Head({ place }: { readonly place: Place }) {
  const { user, signOut } = useSession()
  const { lost } = useContact()
  return (
    <header class="head">
      <span class="brand">Leasehold</span>
      <nav aria-label="Views">
        <Link to={{ view: 'fleet', filter: noFilter }} current={place.view === 'fleet'}>
          Fleet
        </Link>
        <Link to={{ view: 'leases', namespace: '' }} current={place.view === 'leases'}>
          Leases
        </Link>
        <Link to={{ view: 'activity' }} current={place.view === 'activity'}>
          Activity
        </Link>
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

/** Stays while the connection is away, and counts. */
function LostBanner() {
  const { lost, heardAtMs } = useContact()
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
  const { fleet } = useStatus()
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
