/** Why did a program fail? The last thing it said, or that it is not there. */
export function lastWords(error: unknown): string {
  const { code, path, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string }
  if (code === 'ENOENT') return `${path} is not installed`
  return stderr.trim().split('\n').at(-1) || message
}
