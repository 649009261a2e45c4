/**
 * List prices in US dollars, us-east-1, without free tiers unless said. Change them here and
 * nowhere else.
 */

export const PRICES_AS_OF = '2025-11'

export const prices = {
  dynamodb: {
    onDemandWriteUnit: 0.625e-6,
    onDemandReadUnit: 0.125e-6,
    provisionedWriteUnitHour: 0.00065,
    provisionedReadUnitHour: 0.00013,
    storageGbMonth: 0.25,
    backupGbMonth: 0.2,
  },
  lambda: { request: 0.2e-6, gbSecondArm: 0.0000133334 },
  httpApi: { request: 1e-6 },
  eventBridge: { event: 1e-6 },
  scheduler: { invocation: 1e-6 },
  transfer: { outGb: 0.09 },
  kms: { keyMonth: 1, signature: 15e-6 },
  cloudWatch: { alarmMonth: 0.1, metricMonth: 0.3, logGb: 0.5, dashboardMonth: 3 },
} as const

/** What every account gets every month for ever; another stack may have used it up. */
export const alwaysFree = { alarms: 10, metrics: 10, logGb: 5, transferOutGb: 100 } as const
