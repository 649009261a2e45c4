/** The event bus: one of our own, so that rules and permissions are not shared with others. */
import { Duration } from 'aws-cdk-lib'
import { Archive, EventBus } from 'aws-cdk-lib/aws-events'
import { Construct } from 'constructs'

interface BusProps {
  readonly stage: string
  /** Days events are kept for a replay; 0: none. */
  readonly archiveDays: number
}

export class LeaseholdBus extends Construct {
  readonly bus: EventBus

  constructor(scope: Construct, id: string, props: BusProps) {
    super(scope, id)
    this.bus = new EventBus(this, 'Bus', { eventBusName: `leasehold-${props.stage}` })
    if (props.archiveDays > 0)
      new Archive(this, 'Archive', {
        sourceEventBus: this.bus,
        eventPattern: { source: ['leasehold'] },
        retention: Duration.days(props.archiveDays),
      })
  }
}
