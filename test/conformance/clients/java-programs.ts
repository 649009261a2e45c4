/** The checks on fabric8 of ../java, built where there are a JDK and Maven with its repositories. */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder, failureReason } from '../../../local/emulators/python-environment.ts'
import { ask } from './program.ts'

const PROJECT = fileURLToPath(new URL('../java/pom.xml', import.meta.url))

type Checks =
  | { readonly kind: 'built'; readonly classpath: string }
  | { readonly kind: 'skipped'; readonly why: string }

export async function buildFabric8Checks(): Promise<Checks> {
  const folder = join(cacheFolder, 'fabric8')
  const list = join(folder, 'classpath')
  const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${list}`]
  try {
    await mkdir(folder, { recursive: true })
    await ask('mvn', '-q', '-B', '-f', PROJECT, `-Dbuilt=${folder}`, ...goals)
    const classpath = [join(folder, 'classes'), (await readFile(list, 'utf8')).trim()].join(':')
    return { kind: 'built', classpath }
  } catch (error) {
    return { kind: 'skipped', why: failureReason(error) }
  }
}
