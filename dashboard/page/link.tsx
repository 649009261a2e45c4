/** A link within the page; a click with a modifier key opens a new tab, as anywhere. */
import type { ComponentChildren } from 'preact'
import { type Query, urlOf } from '../state/query.ts'
import { navigate } from './navigation.ts'

interface LinkProps {
  readonly to: Query
  readonly current?: boolean
  readonly children: ComponentChildren
}

export function Link({ to, current, children }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    navigate(to)
    scrollTo(0, 0)
  }
  return (
    <a href={urlOf(to)} onClick={onClick} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  )
}

export const NodeLink = ({ name }: { readonly name: string }) => (
  <Link to={{ node: name }}>{name}</Link>
)

/** To the fleet, filtered by this zone: `name` is that of the Zone object. */
export const ZoneLink = ({ name, title }: { readonly name: string; readonly title: string }) => (
  <Link to={{ zone: name }}>{title}</Link>
)
