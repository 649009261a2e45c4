/** The api's paths that the page reads. */

/** The api group of zones, fleets and what else Leasehold adds to Kubernetes. */
export const LEASEHOLD_GROUP = '/apis/leasehold.dev/v1'

export const paths = {
  fleets: `${LEASEHOLD_GROUP}/fleets`,
  zones: `${LEASEHOLD_GROUP}/zones`,
  nodes: '/api/v1/nodes',
  pods: '/api/v1/pods',
  events: '/api/v1/events',
  leases: '/apis/coordination.k8s.io/v1/leases',
  nodeLeases: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
} as const

export const withFieldSelector = (path: string, selector: string): string =>
  `${path}?fieldSelector=${encodeURIComponent(selector)}`

/** A list of at most one: a GET of a missing lease would be an error in the browser's console. */
export const nodeLeasePath = (name: string): string =>
  withFieldSelector(paths.nodeLeases, `metadata.name=${name}`)
