import { memoryStore } from '../../../shared/store/memory/store.ts'
import { blackoutBehaviour } from './blackout-behaviour.ts'
import { T0 } from './small-fleet.ts'

blackoutBehaviour(async () => {
  let nowMs = T0
  const clock = () => nowMs
  const advance = (ms: number) => {
    nowMs += ms
  }
  return { store: memoryStore({ clock }), clock, advance }
}, 5_000)
