/** Which old-style labels must follow the stable ones? */

const COPIES = [
  { from: 'kubernetes.io/os', to: 'beta.kubernetes.io/os' },
  { from: 'kubernetes.io/arch', to: 'beta.kubernetes.io/arch' },
] as const

type Labels = Readonly<Record<string, string>>

/** The node's labels with the copies set right, or undefined when nothing has to be written. */
export function reconcileLabels(labels: Labels = {}): Labels | undefined {
  const wanted: Record<string, string> = {}
  for (const { from, to } of COPIES) {
    const value = labels[from]
    if (value !== undefined && labels[to] !== value) wanted[to] = value
  }
  return Object.keys(wanted).length > 0 ? { ...labels, ...wanted } : undefined
}
