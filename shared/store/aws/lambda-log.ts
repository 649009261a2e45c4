/** Lambda writes a line of JSON for each call, with the level of the method: an object stays one. */
interface LambdaLogEntry {
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  readonly error?: unknown
}

export function lambdaLog<Entry extends LambdaLogEntry>({ level, error, ...entry }: Entry): void {
  // An Error itself would be shown as {}.
  const { name, message, stack } = error instanceof Error ? error : { message: error }
  const detail = error === undefined ? {} : { error: { name, message, stack } }
  console[level]({ ...entry, ...detail })
}
