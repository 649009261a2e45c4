/** A link to a place: opens in a new tab when asked to, and else stays on the page. */
import type { ComponentChildren } from 'preact'
import { type Place, urlOf } from '../state/place.ts'
import { go } from './navigation.ts'

interface LinkProps {
  readonly to: Place
  readonly class?: string
  readonly current?: boolean
  readonly children: ComponentChildren
}

export function Link({ to, current, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    go(to)
    scrollTo(0, 0)
  }
  return (
    <a {...rest} href={urlOf(to)} onClick={follow} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  )
}

export const NodeLink = ({ name }: { readonly name: string }) => (
  <Link to={{ view: 'node', name }}>{name}</Link>
)
