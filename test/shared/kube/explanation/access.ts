/** Who may do what with explanations, and where they are: rows of the identity matrix. */
const readers = ['viewer', 'operator', 'admin'] as const

export const explanationsAccess = {
  'get explanations': readers,
  'list explanations': readers,
}

export const explanationsPlace = {
  explanations: { base: '/apis/leasehold.dev/v1/explanations', name: 'fleet', fresh: {} },
}
