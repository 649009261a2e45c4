/** A node as one line of `kubectl get nodes`. */

import { ageColumn, nameColumn, textColumn, wide } from '../columns.ts'
import type { Node } from '../objects.ts'
import type { Column } from '../resource.ts'

export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  textColumn<Node>('Status', 'Whether the node is ready, and whether it takes new work.', statusOf),
  textColumn<Node>('Roles', 'The roles of the node, from its labels.', rolesOf),
  ageColumn,
  textColumn<Node>(
    'Version',
    'Version of the agent that runs on the node.',
    (node) => node.status?.nodeInfo?.kubeletVersion ?? '',
  ),
  wide(
    textColumn<Node>('Internal-IP', 'Address inside the network of the fleet.', (node) =>
      addressOf(node, 'InternalIP'),
    ),
  ),
  wide(
    textColumn<Node>('External-IP', 'Address as seen from outside.', (node) =>
      addressOf(node, 'ExternalIP'),
    ),
  ),
  wide(
    textColumn<Node>(
      'OS-Image',
      'Operating system image of the node.',
      (node) => node.status?.nodeInfo?.osImage || '<unknown>',
    ),
  ),
  wide(textColumn<Node>('Kernel-Version', 'Kernel of the node and its architecture.', kernelOf)),
  wide(
    textColumn<Node>(
      'Container-Runtime',
      'Runtime that the node starts containers with, and its version.',
      (node) => node.status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
    ),
  ),
]

function statusOf({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const words = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown']
  if (spec?.unschedulable) words.push('SchedulingDisabled')
  return words.join(',')
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function rolesOf({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)]
    return key === 'kubernetes.io/role' ? [value] : []
  })
  const named = [...new Set(roles.filter((role) => role !== ''))]
  return named.sort().join(',') || '<none>'
}

const addressOf = ({ status }: Node, type: string): string =>
  status?.addresses?.find((entry) => entry.type === type)?.address || '<none>'

function kernelOf({ status }: Node): string {
  const kernel = status?.nodeInfo?.kernelVersion || '<unknown>'
  const architecture = status?.nodeInfo?.architecture
  return architecture ? `${kernel} (${architecture})` : kernel
}
