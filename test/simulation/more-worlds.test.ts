import { keepsPromises } from './worlds.ts'

// A file of its own, so that two cores share the work.
keepsPromises(41, 80)
