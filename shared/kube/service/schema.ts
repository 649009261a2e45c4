/** The members of a Service. */
import { metadataField, typeFields } from '../meta/schema.ts'
import type { KubeObject } from '../objects.ts'
import {
  boolean,
  field,
  int32,
  intOrString,
  listBy,
  listOf,
  mapOf,
  object,
  pointer,
  required,
  string,
  time,
} from '../schema.ts'

export interface ServicePort {
  readonly name?: string
  readonly protocol?: string
  readonly appProtocol?: string
  readonly port?: number
  readonly targetPort?: number | string
  readonly nodePort?: number
}

export interface ServiceSpec {
  readonly type?: string
  readonly ports?: readonly ServicePort[]
  readonly selector?: Readonly<Record<string, string>>
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly externalIPs?: readonly string[]
  readonly externalName?: string
  readonly sessionAffinity?: string
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } }
  readonly ipFamilies?: readonly string[]
  readonly ipFamilyPolicy?: string
  readonly internalTrafficPolicy?: string
  readonly externalTrafficPolicy?: string
  readonly trafficDistribution?: string
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly loadBalancerClass?: string
  readonly loadBalancerSourceRanges?: readonly string[]
}

export interface Service extends KubeObject {
  readonly spec?: ServiceSpec
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[]
    }
  }
}

const CORE = 'io.k8s.api.core.v1'

const portSchema = object(`${CORE}.ServicePort`, 'A port at which the service answers.', {
  name: field(1, string, 'Required where there are several.'),
  protocol: field(2, string, 'TCP, UDP or SCTP.'),
  port: required(3, int32, 'At which the service answers.'),
  targetPort: field(4, intOrString, 'Of the pods, by number or name.'),
  nodePort: field(5, int32, 'Of every node.'),
  appProtocol: pointer(6, string, 'What is spoken there.'),
})

const affinitySchema = object(`${CORE}.SessionAffinityConfig`, 'How clients keep their pod.', {
  clientIP: pointer(
    1,
    object(`${CORE}.ClientIPConfig`, 'By the address of the client.', {
      timeoutSeconds: pointer(1, int32, 'How long.'),
    }),
    'By the address of the client.',
  ),
})

const specSchema = object(`${CORE}.ServiceSpec`, 'Where the service is found.', {
  ports: field(1, listBy('port', portSchema), 'At which the service answers.'),
  selector: field(2, mapOf(string), 'Labels of the pods that serve it.'),
  clusterIP: field(3, string, 'Its address, or None. Not allocated here.'),
  type: field(4, string, 'ClusterIP, NodePort, LoadBalancer or ExternalName.'),
  externalIPs: field(5, listOf(string), 'Further addresses.'),
  sessionAffinity: field(7, string, 'ClientIP or None.'),
  loadBalancerIP: field(8, string, 'Deprecated by Kubernetes.'),
  loadBalancerSourceRanges: field(9, listOf(string), 'Who may reach the load balancer.'),
  externalName: field(10, string, 'The name it is an alias of.'),
  externalTrafficPolicy: field(11, string, 'Cluster or Local.'),
  healthCheckNodePort: field(12, int32, 'Where nodes say whether they serve it.'),
  publishNotReadyAddresses: field(13, boolean, 'Whether pods count that are not ready.'),
  sessionAffinityConfig: pointer(14, affinitySchema, 'How clients keep their pod.'),
  ipFamilyPolicy: pointer(17, string, 'SingleStack, PreferDualStack or RequireDualStack.'),
  clusterIPs: field(18, listOf(string), 'Its addresses, one of a family.'),
  ipFamilies: field(19, listOf(string), 'IPv4, IPv6 or both.'),
  allocateLoadBalancerNodePorts: pointer(20, boolean, 'Whether node ports are wanted.'),
  loadBalancerClass: pointer(21, string, 'Which load balancer.'),
  internalTrafficPolicy: pointer(22, string, 'Cluster or Local.'),
  trafficDistribution: pointer(23, string, 'Which pods are preferred.'),
})

const ingressSchema = object(`${CORE}.LoadBalancerIngress`, 'An address of a load balancer.', {
  ip: field(1, string, 'The address.'),
  hostname: field(2, string, 'Or a name.'),
  ipMode: pointer(3, string, 'VIP or Proxy.'),
  ports: field(
    4,
    listOf(
      object(`${CORE}.PortStatus`, 'A port of it.', {
        port: required(1, int32, 'The port.'),
        protocol: required(2, string, 'Its protocol.'),
        error: pointer(3, string, 'What is wrong with it.'),
      }),
    ),
    'Its ports.',
  ),
})

const conditionSchema = object(
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition',
  'One aspect of an object, and whether it holds.',
  {
    type: required(1, string, 'The aspect.'),
    status: required(2, string, 'True, False or Unknown.'),
    observedGeneration: field(3, int32, 'Of the object that was judged.'),
    lastTransitionTime: required(4, time, 'When the status changed.'),
    reason: required(5, string, 'Why, as one word.'),
    message: required(6, string, 'Why, as a sentence.'),
  },
)

const statusSchema = object(`${CORE}.ServiceStatus`, 'What was set up for it.', {
  loadBalancer: field(
    1,
    object(`${CORE}.LoadBalancerStatus`, 'Its load balancer.', {
      ingress: field(1, listOf(ingressSchema), 'Where it answers.'),
    }),
    'Its load balancer.',
  ),
  conditions: field(2, listBy('type', conditionSchema), 'How it is.'),
})

export const serviceSchema = object(
  `${CORE}.Service`,
  'A name for what some pods serve. Kept for kubelets; nothing here routes to it.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: field(2, specSchema, 'Where the service is found.'),
    status: field(3, statusSchema, 'What was set up for it.'),
  },
)
