/** What the switches in a source ask, is it my turn, and what becomes of a test in which one is on. */

/** Kept here because tests put fake clocks in their place. */
export const nowMs = performance.now.bind(performance)
export const immediate = setImmediate
const [every, cancel] = [setInterval, clearInterval]

export interface Switchboard {
  /** The numbers that asked since the last `forget`, while no mutant is on. */
  readonly reached: ReadonlySet<number>
  readonly asked: number
  forget(): void
  /** Switches one on. Past so many questions it throws: a mutant may never come to an end. */
  turnOn(number: number, maxAsked: number): void
  turnOff(): void
}

const NONE = -1

/** Installs the function that the switches call. */
export function installSwitchboard(): Switchboard {
  let on = NONE
  let reached = new Set<number>()
  let asked = 0
  let maxAsked = Number.POSITIVE_INFINITY
  const isOn = (number: number): boolean => {
    if (++asked > maxAsked) throw new Error('the mutant runs in circles')
    if (on === NONE) reached.add(number)
    return number === on
  }
  Object.assign(globalThis, { __mutant: isOn })
  return {
    get reached() {
      return reached
    },
    get asked() {
      return asked
    },
    forget() {
      reached = new Set()
      asked = 0
    },
    turnOn(number, max) {
      on = number
      asked = 0
      maxAsked = max
    },
    turnOff() {
      on = NONE
      maxAsked = Number.POSITIVE_INFINITY
    },
  }
}

const LOOK_EVERY_MS = 2_000
/** Looks in a row at a process that waits for nothing. */
const IDLE_LOOKS = 2
const IDLE = 0.02

export interface EndWatch {
  /** Resolves when a test works or waits far longer than it did without the mutant. */
  readonly endless: Promise<'endless'>
  /** The next test begins, which took so long then. */
  expect(ms: number): void
  close(): void
}

/** Goes by the processor's time: on a busy machine an honest test may take any time by the clock. */
export function watchForEnd(): EndWatch {
  const { promise, resolve } = Promise.withResolvers<'endless'>()
  let [startMs, startCpu, usualMs, idleLooks] = [nowMs(), process.cpuUsage(), 0, 0]
  let utilization = performance.eventLoopUtilization()
  const timer = every(() => {
    const last = performance.eventLoopUtilization(utilization)
    utilization = performance.eventLoopUtilization()
    idleLooks = last.utilization < IDLE ? idleLooks + 1 : 0
    const { user, system } = process.cpuUsage(startCpu)
    const works = (user + system) / 1_000 > 3_000 + 20 * usualMs
    const waits = idleLooks >= IDLE_LOOKS && nowMs() - startMs > LOOK_EVERY_MS + 3 * usualMs
    if (works || waits) resolve('endless')
  }, LOOK_EVERY_MS)
  return {
    endless: promise,
    expect(ms) {
      startMs = nowMs()
      startCpu = process.cpuUsage()
      usualMs = ms
      idleLooks = 0
    },
    close: () => cancel(timer),
  }
}
