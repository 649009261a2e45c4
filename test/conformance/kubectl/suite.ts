/** One kubectl, a system of its own, and every transcript: see transcripts/. */
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InProcessSystem, startInProcess } from '../../local-system/in-process.ts'
import { startKubelet } from '../kubelet.ts'
import type { Kubectl } from './binaries.ts'
import { type Shell, shellFor } from './shell.ts'
import { normalised, readTranscript, record, type Step } from './transcript.ts'

// Ten seconds on a machine that has nothing else to do.
const SLOWEST_MS = 180_000
const FOLDER = new URL('../transcripts/', import.meta.url)

export function transcriptSuite(kubectl: Kubectl): void {
  describe.concurrent(`kubectl ${kubectl.name}`, () => {
    let system: InProcessSystem
    let shell: Shell
    let kubelet: ReturnType<typeof startKubelet>

    beforeAll(async () => {
      // The monitor only empties namespaces: what it does to nodes would come into these texts at any
      // moment.
      const idle = [
        '--observe',
        'true',
        '--node-monitor-period',
        '1s',
        '--node-monitor-grace-period',
        '1h',
      ]
      system = await startInProcess('--nodes', '1', ...idle)
      kubelet = startKubelet(system.http, 'host-1')
      const VIEWER = await system.tokenFor('vera', 'leasehold:viewers')
      shell = shellFor(kubectl, system.kubeconfig, { VIEWER })
      // Asks what there is once, before several commands would at the same time.
      await shell.type('kubectl api-resources')
    })
    afterAll(async () => {
      kubelet?.stop()
      shell?.remove()
      await system?.stop()
      expect(system?.errors, 'in the log of the server').toEqual([])
    })

    const names = readdirSync(FOLDER).toSorted()
    it.each(names)('%s reads as expected', { timeout: SLOWEST_MS }, async (name) => {
      const file = new URL(name, FOLDER)
      const steps = readTranscript(file)
      const outputs = await typeAll(shell, steps.filter(isKnownTo(kubectl)))
      if (process.env.RECORD) record(file, steps, outputs)
      const typed = [...outputs.keys()]
      const said = textOf(typed, (step) => outputs.get(step)!)
      expect(said).toEqual(textOf(typed, ({ expected }) => expected))
    })
  })
}

const isKnownTo =
  ({ minor }: Kubectl) =>
  ({ from, to }: Step) =>
    from <= minor && minor <= to

async function typeAll(shell: Shell, steps: readonly Step[]): Promise<Map<Step, string>> {
  const outputs = new Map<Step, string>()
  for (const step of steps) outputs.set(step, normalised(await shell.type(step.command)))
  return outputs
}

const textOf = (steps: readonly Step[], output: (step: Step) => string): string =>
  steps.map((step) => `$ ${step.command}\n${output(step)}`).join('\n')
