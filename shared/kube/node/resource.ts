/**
 * Nodes: the hosts. Status and spec have different writers, so each path puts back what is not its
 * own.
 */

import { cidrWarnings } from '../cidr.ts'
import {
  metadataWarnings,
  nameFields,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from '../meta/metadata.ts'
import type { Node } from '../objects.ts'
import { EVERY_VERB, type Resource, STATUS } from '../resource.ts'
import { nodeColumns } from './columns.ts'
import { withNodeDefaults, withNotReadyTaint } from './defaults.ts'
import { nodeSchema } from './schema.ts'
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from './validation.ts'

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
  prepareForCreate: (node) =>
    withNotReadyTaint({ ...node, metadata: prepareMetadataForCreate(node.metadata) }),
  prepareForUpdate: (node, old, subresource) => ({
    ...node,
    // Labels, annotations, owners and finalizers come through the status too: agents restore
    // their labels there.
    metadata: prepareMetadataForUpdate(node.metadata, old.metadata),
    ...(subresource === 'status' ? { spec: old.spec } : { status: old.status }),
  }),
  validateCreate: validateNode,
  validateUpdate: (node, old, subresource) =>
    subresource === 'status' ? validateNodeStatusUpdate(node, old) : validateNodeUpdate(node, old),
  warnings: nodeWarnings,
}

function nodeWarnings(node: Node, subresource?: string): readonly string[] {
  // An agent that reports a status cannot change the spec, so it is not warned about it.
  if (subresource === 'status') return metadataWarnings(node)
  const external = node.spec?.externalID
    ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
    : []
  const cidrs = (node.spec?.podCIDRs ?? []).flatMap((cidr, i) =>
    cidrWarnings(cidr, `spec.podCIDRs[${i}]`),
  )
  return [...metadataWarnings(node), ...external, ...cidrs]
}
