#!/usr/bin/env node
/** The `leasehold` command line: wires the program to this machine. */
import { randomInt, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type OpenStore, openInstall } from './install.ts'
import { runProgram } from './program.ts'

/** Loaded on demand: most commands read no table, and kubectl waits for `credential`. */
const openStore: OpenStore = async (address, onUsage) =>
  (await import('../engine/store.ts')).openRunningStore(address, onUsage)

function interrupted(): AbortSignal {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => interruption.abort())
  return interruption.signal
}

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  nowMs: Date.now,
  randomInt,
  newId: randomUUID,
  print: (text) => process.stdout.write(`${text}\n`),
  tell: (text) => process.stderr.write(`${text}\n`),
  program: { command: process.execPath, args: [fileURLToPath(import.meta.url)] },
  open: (location) => openInstall(location, openStore),
  interrupted,
})
