/** Starts the processes in which mutants are played, and gives up on those that hang. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Coverage } from './coverage.ts'
import type { Answer, Order } from './player.ts'

const PLAYER = fileURLToPath(new URL('./player.ts', import.meta.url))
/** Longer than any one test may take, and than all that reach one mutant. */
const PLAY_MS = 300_000
const COVER_MS = 1_200_000
const START_MS = 60_000

function start(...args: readonly string[]): ChildProcess {
  const execArgv = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=1024']
  return fork(PLAYER, args, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
}

/** The next message, or undefined when the process ends or takes too long. */
function nextMessage(child: ChildProcess, withinMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const end = (message?: unknown) => {
      clearTimeout(timer)
      child.off('message', end)
      child.off('exit', leave)
      resolve(message)
    }
    const leave = () => end()
    const timer = setTimeout(end, withinMs)
    child.once('message', end)
    child.once('exit', leave)
  })
}

export async function measuredCoverage(): Promise<Coverage> {
  const child = start('cover')
  const coverage = await nextMessage(child, COVER_MS)
  child.kill('SIGKILL')
  if (!coverage) throw new Error('the suites fail without a mutant: see above')
  return coverage as Coverage
}

export interface Players {
  play(order: Order): Promise<Answer>
  close(): void
}

export function openPlayers(): Players {
  let child: ChildProcess | undefined
  let hasPlayed = false

  const discard = () => {
    child?.kill('SIGKILL')
    child = undefined
  }

  const started = async (): Promise<ChildProcess> => {
    if (child) return child
    child = start('play')
    hasPlayed = false
    if ((await nextMessage(child, START_MS)) !== 'ready') throw new Error('no player starts')
    return child
  }

  const play = async (order: Order): Promise<Answer> => {
    if (order.whileLoading) discard()
    const player = await started()
    player.send(order)
    const answer = (await nextMessage(player, PLAY_MS)) as Answer | undefined
    const wasFirst = !hasPlayed
    hasPlayed = true
    if (!answer || order.whileLoading || (answer.kind === 'caught' && answer.isSpoiled)) discard()
    if (!answer) return { kind: 'caught', by: 'the process hangs or dies', isSpoiled: true }
    // Was it this mutant, or one before it? A new process tells.
    return answer.kind === 'caught' && answer.isSpoiled && !wasFirst ? await play(order) : answer
  }

  return { play, close: discard }
}
