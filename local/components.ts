/** Starts the components of one process in order and stops them in reverse. */

interface Component {
  stop(): Promise<void>
}

export interface Components {
  /** Starts a component, remembers it and returns it. */
  add<T extends Component>(name: string, start: () => Promise<T> | T): Promise<T>
  /** Stops all in reverse order; returns the names of those that did not stop. */
  stop(): Promise<readonly string[]>
}

/** A component that does not stop in time is left: the process is about to exit anyway. */
const STOP_MS = 2_000

export function components(stopMs = STOP_MS): Components {
  const running: { readonly name: string; readonly component: Component }[] = []
  return {
    async add(name, start) {
      const component = await start()
      running.push({ name, component })
      return component
    },
    async stop() {
      const stuck: string[] = []
      for (const { name, component } of running.splice(0).reverse())
        if (!(await stopsInTime(component, stopMs))) stuck.push(name)
      return stuck
    },
  }
}

async function stopsInTime(component: Component, stopMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, stopMs, false)
  try {
    return await Promise.race([component.stop().then(() => true), promise])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
