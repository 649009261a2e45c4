/**
 * What cdk-nag complains about and we mean: each with the reason, on the narrowest thing it is
 * about.
 */
import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

export interface Acknowledgement {
  readonly id: string
  readonly reason: string
}

export function accept(on: IConstruct, ...all: readonly Acknowledgement[]): void {
  for (const one of all) Validations.of(on).acknowledge(one)
}
