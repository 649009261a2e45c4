/** The machine as the agent sees it: Linux (`linux-machine.ts`) or simulated. */

import type { Image } from '../status/setters/images.ts'
import type { Observations } from './pressure.ts'

export interface MachineFacts {
  readonly hostname: string
  readonly machineId: string
  readonly systemUuid: string
  readonly bootId: string
  readonly kernel: string
  readonly osImage: string
  /** Go's names: linux, amd64. */
  readonly os: string
  readonly arch: string
  readonly cores: number
  readonly memoryBytes: number
  readonly swapBytes: number
  /** Size of the file system at `--disk-path`. */
  readonly storageBytes?: number
  readonly hugePages?: Readonly<Record<string, string>>
  /** Addresses on interfaces that lead out of the host; the one of the default route first. */
  readonly addresses: readonly string[]
  readonly images?: readonly Image[]
}

export interface Machine {
  facts(): Promise<MachineFacts>
  /** A signal that cannot be read is left out, never guessed: no observation, no pressure. */
  observe(): Promise<Observations>
}
