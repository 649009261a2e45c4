/**
 * The machine under the agent, as far as the agent looks at it. Real (`linux-machine.ts`) or
 * pretended.
 */
import type { Observations } from './pressure.ts'
import type { Image } from './setters/images.ts'

export interface MachineFacts {
  readonly hostname: string
  readonly machineId: string
  readonly systemUuid: string
  readonly bootId: string
  readonly kernel: string
  readonly osImage: string
  /** Go's words: linux, amd64. */
  readonly os: string
  readonly arch: string
  readonly cores: number
  readonly memoryBytes: number
  readonly swapBytes: number
  /** Size of the file system the agent watches. */
  readonly storageBytes?: number
  readonly hugePages?: Readonly<Record<string, string>>
  /** Addresses on interfaces that lead out of the host; the one of the default route first. */
  readonly addresses: readonly string[]
  readonly images?: readonly Image[]
}

export interface Machine {
  facts(): Promise<MachineFacts>
  /** What cannot be seen is left out, never guessed: no observation, no pressure. */
  observe(): Promise<Observations>
}
