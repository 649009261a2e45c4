/** After the run: how long each project took, from its first test file to the end of its last. */
import type { Reporter, TestModule } from 'vitest/node'

interface Span {
  readonly startMs: number
  endMs: number
  files: number
}

export default class ProjectSeconds implements Reporter {
  readonly #spans = new Map<string, Span>()

  onTestModuleStart({ project }: TestModule): void {
    const nowMs = performance.now()
    const span = this.#spans.get(project.name) ?? { startMs: nowMs, endMs: nowMs, files: 0 }
    this.#spans.set(project.name, span)
  }

  onTestModuleEnd({ project }: TestModule): void {
    const span = this.#spans.get(project.name)
    if (!span) return
    span.endMs = performance.now()
    span.files += 1
  }

  onTestRunEnd(): void {
    console.log()
    for (const [name, { startMs, endMs, files }] of this.#spans) {
      const seconds = ((endMs - startMs) / 1_000).toFixed(0)
      console.log(`${name.padEnd(12)} ${seconds.padStart(4)} s  ${files} files`)
    }
  }
}
