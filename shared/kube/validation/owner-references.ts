/** Are these owners nameable, and is at most one of them in charge? */
import type { OwnerReference } from '../objects.ts'
import { type FieldErrors, invalidValue, required } from './field-errors.ts'

// An Event goes away by itself after an hour; whatever it owned would follow it.
const isBanned = ({ apiVersion, kind }: OwnerReference) =>
  kind === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1')

export function validateOwnerReferences(
  owners: readonly OwnerReference[] | undefined,
  field: string,
): FieldErrors {
  if (!owners) return []
  const single = owners.flatMap((owner, i) => validateOwner(owner, `${field}[${i}]`))
  return [...single, ...validateOneController(owners, field)]
}

function validateOwner(owner: OwnerReference, field: string): FieldErrors {
  const members = ['apiVersion', 'kind', 'name', 'uid'] as const
  const missing = members
    .filter((member) => !owner[member])
    .map((member) => required(`${field}.${member}`, 'must not be empty'))
  const banned = isBanned(owner)
    ? [invalidValue(field, owner, '/v1, Kind=Event is disallowed from being an owner')]
    : []
  return [...missing, ...validateApiVersion(owner.apiVersion, `${field}.apiVersion`), ...banned]
}

function validateApiVersion(apiVersion: string | undefined, field: string): FieldErrors {
  if (!apiVersion) return []
  const parts = apiVersion.split('/')
  if (parts.length <= 2 && parts.at(-1) !== '') return []
  return [invalidValue(field, apiVersion, 'must be <group>/<version> or <version>')]
}

/** Said once, of the first two: the complaint shows the whole list, and a list may be long. */
function validateOneController(owners: readonly OwnerReference[], field: string): FieldErrors {
  const [first, second] = owners
    .filter((owner) => owner.controller)
    .map((owner) => `${owner.kind}/${owner.name}`)
  if (second === undefined) return []
  const why =
    'Only one reference can have Controller set to true. ' +
    `Found "true" in references for ${first} and ${second}`
  return [invalidValue(field, owners, why)]
}
