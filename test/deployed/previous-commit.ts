/** The stacks as the commit before this one had them, to upgrade from and to roll back to. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../local/emulators/command.ts'
import { type Deployment, synthesize } from '../../local/emulators/deployment.ts'

const ARCHIVE_BYTES = 256 * 1024 * 1024

const git = (...args: readonly string[]) =>
  execFileSync('git', args, {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: ARCHIVE_BYTES,
  })

/** A clone without history has only this commit: then it is the one before, too. */
export function previousCommit(): string {
  try {
    return String(git('rev-parse', '--verify', 'HEAD~1')).trim()
  } catch {
    return 'HEAD'
  }
}

/** Checks it out beside and synthesises it there, with this commit's packages. */
export async function synthesizeCommit(commit: string, like: Deployment): Promise<Deployment> {
  const folder = join(like.folder, 'previous')
  const project = join(folder, 'project')
  mkdirSync(project, { recursive: true })
  execFileSync('tar', ['x', '-C', project], { input: git('archive', '--format=tar', commit) })
  symlinkSync(join(projectFolder, 'node_modules'), join(project, 'node_modules'))
  const deployment = { ...like, folder }
  await synthesize(deployment, project)
  return deployment
}
