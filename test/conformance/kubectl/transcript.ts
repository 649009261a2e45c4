/**
 * A transcript is a text file: what is typed, and what must come back. `# 1.27+` or `# -1.26` above
 * a command says which versions of kubectl know it; any other line with `#` is for the reader.
 * RECORD=1 writes down what came back.
 */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Step {
  readonly command: string
  readonly expected: string
  /** Minor versions of kubectl, both inclusive. */
  readonly from: number
  readonly to: number
  /** Lines before the command, to be kept when recording. */
  readonly preface: readonly string[]
}

export function readTranscript(file: URL): Step[] {
  const steps: { preface: string[]; command: string[]; expected: string[] }[] = []
  let preface: string[] = []
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const last = steps.at(-1)
    if (line.startsWith('$ ')) {
      steps.push({ preface, command: [line.slice(2)], expected: [] })
      preface = []
    } else if (line.startsWith('> ')) last?.command.push(line.slice(2))
    else if (line === '' || line.startsWith('#')) preface.push(line)
    else last?.expected.push(line)
  }
  return steps.map(stepOf)
}

function stepOf(raw: { preface: string[]; command: string[]; expected: string[] }): Step {
  const text = raw.preface.join('\n')
  const from = /^# 1\.(\d+)\+$/m.exec(text)?.[1]
  const to = /^# -1\.(\d+)$/m.exec(text)?.[1]
  return {
    preface: raw.preface,
    command: raw.command.join('\n'),
    expected: raw.expected.join('\n'),
    from: Number(from ?? 0),
    to: Number(to ?? Number.POSITIVE_INFINITY),
  }
}

/** With what came back in place of what was expected, for the steps that were run. */
export function record(file: URL, steps: readonly Step[], outputs: ReadonlyMap<Step, string>) {
  const blocks = steps.map((step) => {
    const command = `$ ${step.command.split('\n').join('\n> ')}`
    const output = outputs.get(step) ?? step.expected
    return [...step.preface, command, ...(output ? [output] : [])].join('\n')
  })
  writeFileSync(file, `${blocks.join('\n')}\n`)
}

/**
 * Leaves out what differs from run to run (ages, times, uids, versions, ports) and how far kubectl
 * moves its columns apart, which depends on the width of an age.
 */
export function normalised(output: string): string {
  const lines = output
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>')
    .replaceAll(/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} \+0000/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/\b\d{16}\b/g, '<version>')
    // Since 1.34 kubectl says where from.
    .replaceAll(/ deleted from \S+ namespace$/gm, ' deleted')
    // The newest no longer shows this line, which was always empty.
    .replaceAll(/^ *Kube-Proxy Version:.*\n/gm, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<server>')
    .replaceAll(/(?<=[\s(])(\d+[smhdy]){1,2}(?=[\s),]|$)/gm, '<age>')
    .split('\n')
    .map((line) => line.replaceAll(/(?<=\S) {2,}/g, '  ').trimEnd())
  return lines.filter((line) => line !== '').join('\n')
}
