import { answerStored } from '../answer/object-answer.ts'
import { decodeResource } from '../request/decode.ts'
import { writeOptions } from '../request/options.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { createObject } from './creation.ts'

export async function create(request: ResourceRequest): Promise<Response> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'CreateOptions')
  const { object, warnings } = await decodeResource(request, fieldValidation)
  const created = await createObject(request, object, dryRun)
  return await answerStored(request, created, { status: 201, warnings })
}
