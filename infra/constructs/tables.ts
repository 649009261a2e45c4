/** The two tables as `shared/store/tables.ts` describes them, and which function may do what. */
import { RemovalPolicy } from 'aws-cdk-lib'
import {
  AttributeType,
  Billing,
  Capacity,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableV2,
  type WarmThroughput,
} from 'aws-cdk-lib/aws-dynamodb'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import {
  type KeyAttribute,
  leasesTable,
  objectsTable,
  type TableNames,
  type TableShape,
  tableNames,
} from '../../shared/store/tables.ts'
import type { DeploymentSettings } from '../settings.ts'

const READ_ONE = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:ConditionCheckItem']
const WRITE_ONE = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']

/** Provisioned capacity follows the load between these shares of the plan, at this utilisation. */
const LEAST_UNITS = 5
const UTILISATION_PERCENT = 70
/** A fleet that comes back at once writes statuses as well as beats. */
const PEAK_FACTOR = 2

/** The grants, for own and restored tables alike. */
export abstract class Tables extends Construct {
  abstract readonly leases: ITableV2
  abstract readonly objects: ITableV2

  grantApi(grantee: IGrantable): void {
    grantOn(grantee, this.leases, [...READ_ONE, ...WRITE_ONE, 'dynamodb:Scan'])
    grantOn(grantee, this.objects, [...READ_ONE, ...WRITE_ONE, 'dynamodb:Query'])
    this.grantIndexes(grantee)
  }

  grantMonitor(grantee: IGrantable): void {
    this.grantApi(grantee)
  }

  /**
   * It writes core/v1 Events and nothing else, and after a lost answer looks whether it did; the event
   * source grants reading the stream.
   */
  grantNotifier(grantee: IGrantable): void {
    grantOn(grantee, this.objects, ['dynamodb:PutItem', 'dynamodb:ConditionCheckItem'])
  }

  /** By name: a wildcard would grant a later index without a decision. */
  private grantIndexes(grantee: IGrantable): void {
    const resourceArns = objectsTable.indexes.map(
      (index) => `${this.objects.tableArn}/index/${index.name}`,
    )
    Grant.addToPrincipal({ grantee, actions: ['dynamodb:Query'], resourceArns })
  }
}

export class OwnTables extends Tables {
  readonly leases: TableV2
  readonly objects: TableV2

  constructor(scope: Construct, id: string, props: { readonly settings: DeploymentSettings }) {
    super(scope, id)
    this.leases = this.table('leases', leasesTable, props.settings)
    this.objects = this.table('objects', objectsTable, props.settings)
  }

  private table(id: keyof TableNames, shape: TableShape, settings: DeploymentSettings): TableV2 {
    const warm = settings.warmThroughput && { warmThroughput: warmThroughput(settings) }
    return new TableV2(this, id, {
      tableName: tableNames(ownPrefix(settings))[id],
      partitionKey: attribute(shape.partition),
      ...(shape.sort && { sortKey: attribute(shape.sort) }),
      ...(shape.ttl && { timeToLiveAttribute: shape.ttl }),
      ...(shape.stream && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
      billing: id === 'leases' ? billing(settings) : Billing.onDemand(),
      ...warm,
      globalSecondaryIndexes: shape.indexes.map((index) => ({
        indexName: index.name,
        partitionKey: attribute(index.partition),
        sortKey: attribute(index.sort),
        // A cold index would throttle its warm table.
        ...warm,
        projectionType:
          index.projected.length > 0 ? ProjectionType.INCLUDE : ProjectionType.KEYS_ONLY,
        ...(index.projected.length > 0 && { nonKeyAttributes: [...index.projected] }),
      })),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }
}

/** Tables that were restored from a backup under another name, in the place of the stage's own. */
class RestoredTables extends Tables {
  readonly leases: ITableV2
  readonly objects: ITableV2

  constructor(scope: Construct, id: string, props: { readonly settings: DeploymentSettings }) {
    super(scope, id)
    const { restoredTables, restoredStream: tableStreamArn } = props.settings
    const { leases, objects } = tableNames(restoredTables)
    this.leases = TableV2.fromTableName(this, 'leases', leases)
    const attributes = { tableName: objects, tableStreamArn }
    this.objects = TableV2.fromTableAttributes(this, 'objects', attributes)
  }
}

/** The tables a stack works on: restored ones where the settings name them. */
export const tablesFor = (scope: Construct, settings: DeploymentSettings, own: Tables): Tables =>
  settings.restoredTables ? new RestoredTables(scope, 'Tables', { settings }) : own

const ownPrefix = (settings: DeploymentSettings) => `leasehold-${settings.stage}`

/** The functions are told this and derive the names by the same rule. */
export const tablePrefix = (settings: DeploymentSettings) =>
  settings.restoredTables || ownPrefix(settings)

const attribute = (key: KeyAttribute) => ({
  name: key.name,
  type: key.type === 'N' ? AttributeType.NUMBER : AttributeType.STRING,
})

const grantOn = (grantee: IGrantable, table: ITableV2, actions: string[]) =>
  Grant.addToPrincipal({ grantee, actions, resourceArns: [table.tableArn] })

const beatsPerSecond = (settings: DeploymentSettings) =>
  Math.max(LEAST_UNITS, Math.ceil(settings.fleetSize / settings.beatSeconds))

/**
 * Of the leases alone: beats are steady. Objects stay on demand, because marking a fleet is ten units a
 * node at once, and autoscaling takes minutes.
 */
function billing(settings: DeploymentSettings): Billing {
  if (settings.billing === 'on-demand') return Billing.onDemand()
  const units = beatsPerSecond(settings)
  const scaled = {
    minCapacity: LEAST_UNITS,
    maxCapacity: units * PEAK_FACTOR,
    seedCapacity: units,
    targetUtilizationPercent: UTILISATION_PERCENT,
  }
  return Billing.provisioned({
    readCapacity: Capacity.autoscaled(scaled),
    writeCapacity: Capacity.autoscaled(scaled),
  })
}

/** What AWS accepts as a floor for a fresh on-demand table. */
const LEAST_WARM = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4_000 }

function warmThroughput(settings: DeploymentSettings): WarmThroughput {
  const units = beatsPerSecond(settings) * PEAK_FACTOR
  return {
    readUnitsPerSecond: Math.max(LEAST_WARM.readUnitsPerSecond, units),
    writeUnitsPerSecond: Math.max(LEAST_WARM.writeUnitsPerSecond, units),
  }
}
