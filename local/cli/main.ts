#!/usr/bin/env node
/** The `leasehold` command line: wires the program to this machine. */
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type OpenStore, openInstall } from './install.ts'
import { runProgram } from './program.ts'

const openStore: OpenStore = async ({ tables, endpoint }) => {
  // Loaded only here: most commands need no table.
  const { dynamoClient } = await import('../../shared/store/dynamo/client.ts')
  const { dynamoStore } = await import('../../shared/store/dynamo/store.ts')
  const { engineCredentials, engineRegion } = await import('../engine.ts')
  const local = { endpoint, region: engineRegion, credentials: engineCredentials }
  const client = dynamoClient(endpoint ? local : {})
  return dynamoStore({ client, tables, clock: Date.now, random: Math.random, sleep })
}

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  nowMs: Date.now,
  randomInt,
  newId: randomUUID,
  print: (text) => process.stdout.write(`${text}\n`),
  tell: (text) => process.stderr.write(`${text}\n`),
  program: { command: process.execPath, args: [fileURLToPath(import.meta.url)] },
  open: (settings) => openInstall(settings, openStore),
})
