/** What cdk-nag complains about and we mean: each with the reason, on the narrowest thing it is about. */
import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import type { DataStack } from './stacks/data-stack.ts'
import type { ServiceStack } from './stacks/service-stack.ts'

interface Acknowledgement {
  readonly id: string
  readonly reason: string
}

export function acknowledge(_data: DataStack, _service: ServiceStack): void {}

export const accept = (on: IConstruct, ...all: readonly Acknowledgement[]) =>
  all.forEach((one) => {
    Validations.of(on).acknowledge(one)
  })
