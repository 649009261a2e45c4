/** Acknowledges a cdk-nag finding we mean, with the reason, on the narrowest construct. */
import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

interface Acknowledgement {
  readonly id: string
  readonly reason: string
}

export function acknowledgeNag(on: IConstruct, ...all: readonly Acknowledgement[]): void {
  for (const one of all) Validations.of(on).acknowledge(one)
}
