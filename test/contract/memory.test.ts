import { memoryStore } from '../../shared/store/memory/store.ts'
import { commitBehaviour } from './commit-behaviour.ts'
import { leaseBehaviour } from './lease-behaviour.ts'
import { objectBehaviour } from './object-behaviour.ts'
import { queryBehaviour } from './query-behaviour.ts'
import { raceBehaviour } from './race-behaviour.ts'
import { renewalBehaviour } from './renewal-behaviour.ts'
import { testClock } from './rig.ts'

const make = async () => {
  const clock = testClock(Date.now())
  const store = memoryStore({ clock })
  return { store, other: store, clock, usage: [] }
}

renewalBehaviour(make)
leaseBehaviour(make)
objectBehaviour(make)
queryBehaviour(make)
commitBehaviour(make)
raceBehaviour(make)
