/**
 * Colours and shapes: what is wrong stands out from its ground, and states can be told apart
 * without colours.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { stateShapes } from '../../../dashboard/state/node-states.ts'
import { nodeStates } from '../../../shared/lifecycle/liveness/node-summary.ts'

const css = readFileSync('dashboard/style/colours.css', 'utf8')
const [light = '', dark = ''] = css.split('@media')

function colour(theme: string, name: string): readonly number[] {
  const hex = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(theme)?.[1] ?? ''
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
}

/** As WCAG 2 counts it. */
function luminance(rgb: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(theme: string, a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(colour(theme, a)), luminance(colour(theme, b))].sort(
    (x, y) => y - x,
  )
  return (high + 0.05) / (low + 0.05)
}

describe.each([
  { theme: 'light', text: light },
  { theme: 'dark', text: dark },
])('in the $theme theme', ({ text }) => {
  it.each(['evicting', 'unknown', 'notReady', 'cordoned'])(
    '%s stands out from the panel',
    (state) => {
      expect(contrast(text, state, 'panel')).toBeGreaterThanOrEqual(3)
    },
  )

  it.each([
    ['ink', 'panel'],
    ['ink', 'ground'],
    ['dim', 'panel'],
    ['dim', 'ground'],
    ['link', 'panel'],
    ['bad', 'bad-soft'],
    ['bad', 'panel'],
    ['held', 'held-soft'],
    ['held', 'panel'],
    ['ink', 'bad-soft'],
  ])('%s can be read on %s', (ink, ground) => {
    expect(contrast(text, ink, ground)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(['evicting', 'unknown', 'notReady'])('%s is louder than ready', (state) => {
    expect(contrast(text, state, 'panel')).toBeGreaterThan(contrast(text, 'ready', 'panel'))
  })
})

it('every state has a shape of its own', () => {
  expect(new Set(nodeStates.map((state) => stateShapes[state])).size).toBe(nodeStates.length)
})
