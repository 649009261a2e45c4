/**
 * Nodes: the hosts. Status and spec have different writers, so each path puts back what is not its
 * own.
 */
import { keepMetadata, metadataWarnings, nameFields, tidyMetadata } from '../metadata.ts'
import type { Node } from '../objects.ts'
import { EVERY_VERB, type Resource, STATUS } from '../resource.ts'
import { nodeSchema } from '../schemas/node.ts'
import { cidrWarnings } from '../validation/cidr.ts'
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from '../validation/node.ts'
import { nodeColumns } from './node-columns.ts'
import { withNodeDefaults, withNotReadyTaint } from './node-defaults.ts'

export const nodes: Resource<Node> = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  singular: 'node',
  kind: 'Node',
  shortNames: ['no'],
  categories: [],
  namespaced: false,
  verbs: EVERY_VERB,
  subresources: [STATUS],
  schema: nodeSchema,
  columns: nodeColumns,
  selectable: (node) => ({
    ...nameFields(node),
    'spec.unschedulable': String(node.spec?.unschedulable ?? false),
  }),
  createOnUpdate: false,
  unconditionalUpdate: true,

  withDefaults: withNodeDefaults,
  prepareForCreate: (node) => withNotReadyTaint({ ...node, metadata: tidyMetadata(node.metadata) }),
  prepareForUpdate: (node, old, subresource) => ({
    ...node,
    // Labels, annotations, owners and finalizers come through the status too: agents mend their
    // labels there.
    metadata: keepMetadata(node.metadata, old.metadata),
    ...(subresource === 'status' ? { spec: old.spec } : { status: old.status }),
  }),
  validateCreate: validateNode,
  validateUpdate: (node, old, subresource) =>
    subresource === 'status' ? validateNodeStatusUpdate(node, old) : validateNodeUpdate(node, old),
  warnings: nodeWarnings,
}

function nodeWarnings(node: Node, subresource?: string): readonly string[] {
  // Whoever reports a status cannot mend the spec, and need not hear of it every time.
  if (subresource === 'status') return metadataWarnings(node)
  const external = node.spec?.externalID
    ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
    : []
  const cidrs = (node.spec?.podCIDRs ?? []).flatMap((cidr, i) =>
    cidrWarnings(cidr, `spec.podCIDRs[${i}]`),
  )
  return [...metadataWarnings(node), ...external, ...cidrs]
}
