/** Who may do what with cells, and where they are: rows of the identity matrix. */
const readers = ['viewer', 'operator', 'admin'] as const

export const cellsAccess = {
  'get cells': readers,
  'list cells': readers,
  'watch cells': readers,
}

export const cellsPlace = {
  cells: { base: '/apis/leasehold.dev/v1/cells', name: 'z-0', fresh: {} },
}
