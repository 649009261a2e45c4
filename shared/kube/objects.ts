/** The Kubernetes objects this service knows, as they look on the wire. Shapes only. */

export interface ObjectMeta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string | null
  readonly deletionTimestamp?: string | null
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly unknown[]
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec
}

export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string | null
  readonly renewTime?: string | null
  readonly leaseTransitions?: number
  readonly strategy?: string
  readonly preferredHolder?: string
}

export interface Node extends KubeObject {
  readonly spec?: NodeSpec
  readonly status?: NodeStatus
}

export interface NodeSpec {
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
  readonly providerID?: string
  readonly externalID?: string
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: TaintEffect
  readonly timeAdded?: string | null
}

export interface NodeStatus {
  readonly capacity?: Readonly<Record<string, string>>
  readonly allocatable?: Readonly<Record<string, string>>
  readonly phase?: string
  readonly conditions?: readonly NodeCondition[]
  readonly addresses?: readonly NodeAddress[]
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } }
  readonly nodeInfo?: NodeSystemInfo
  readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[]
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly { readonly name: string; readonly devicePath: string }[]
  readonly declaredFeatures?: readonly string[]
}

export type ConditionStatus = 'True' | 'False' | 'Unknown'

export interface Condition {
  readonly type: string
  readonly status: ConditionStatus
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export interface NodeCondition extends Condition {
  readonly lastHeartbeatTime?: string | null
}

export interface NodeAddress {
  readonly type: string
  readonly address: string
}

export interface NodeSystemInfo {
  readonly machineID: string
  readonly systemUUID: string
  readonly bootID: string
  readonly kernelVersion: string
  readonly osImage: string
  readonly containerRuntimeVersion: string
  readonly kubeletVersion: string
  readonly kubeProxyVersion: string
  readonly operatingSystem: string
  readonly architecture: string
  readonly swap?: { readonly capacity?: number }
}

/** A workload assignment: something that runs on a host and can be evicted from it. */
export interface Pod extends KubeObject {
  readonly spec?: PodSpec
  readonly status?: PodStatus
}

export interface PodSpec {
  readonly nodeName?: string
  readonly tolerations?: readonly Toleration[]
  readonly terminationGracePeriodSeconds?: number
  readonly restartPolicy?: string
  readonly schedulerName?: string
  readonly serviceAccountName?: string
  readonly hostNetwork?: boolean
  readonly containers?: readonly { readonly name: string; readonly image?: string }[]
  readonly [field: string]: unknown
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly conditions?: readonly (Condition & { readonly observedGeneration?: number })[]
  readonly observedGeneration?: number
  readonly [field: string]: unknown
}

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] }
}

export interface Event extends KubeObject {
  readonly involvedObject: ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly count?: number
  readonly type?: string
  readonly eventTime?: string | null
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null }
  readonly action?: string
  readonly related?: ObjectReference
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

export interface ObjectReference {
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}
