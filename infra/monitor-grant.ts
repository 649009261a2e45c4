import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { DeploymentSettings } from './settings.ts'

/** Lets the monitor do what one feature needs, where the settings switch that feature on. */
export type MonitorGrant = (monitor: LambdaFunction, settings: DeploymentSettings) => void
