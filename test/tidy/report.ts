/** `node test/tidy/report.ts [PATH]` prints what the tidy test measures, for one folder or for all. */
import * as graph from './source-graph.ts'

const [where = ''] = process.argv.slice(2)
const isHere = (file: string) => file.startsWith(where)
const section = (title: string, rows: readonly string[]) => {
  console.log(`\n${title}: ${rows.length}`)
  for (const row of rows) console.log(`  ${row}`)
}

section(
  'import cycles',
  graph
    .importCycles()
    .filter((group) => group.some(isHere))
    .map((group) => group.join(' ')),
)
section(
  'exports without a user',
  graph
    .idleExports()
    .filter(({ file }) => isHere(file))
    .map(({ file, name, why }) => `${file} ${name}: ${why}`),
)
section(
  'names exported by two files or more',
  [...graph.doubleExports()]
    .filter(([, files]) => files.some(isHere))
    .map(([name, files]) => `${name}: ${files.join(' ')}`),
)
section(
  'files of 40 lines or fewer with one importer',
  graph.smallFilesWithOneImporter(40).filter(isHere),
)
section(
  'functions over 70 lines',
  graph.sources
    .filter(isHere)
    .flatMap((file) => graph.longFunctions(file, 70))
    .map(({ file, line, lines }) => `${file}:${line} ${lines} lines`),
)
section(
  'tests that mirror no source',
  graph.testsWithoutSource().filter((file) => file.startsWith(`test/${where}`)),
)
section(
  'lines',
  graph.SHIPPED.map((room) => `${room} ${graph.roomLines(room)}`),
)
