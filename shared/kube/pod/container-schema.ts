/**
 * A container of a pod, and its status as the host reports it. Containers are not run here: only
 * what patches merge by key or `kubectl get pods` prints has a full schema.
 */
import {
  any,
  boolean,
  type Field,
  int32,
  listBy,
  listOf,
  mapOf,
  object,
  quantity,
  string,
  time,
  unnumbered,
} from '../schema.ts'

const CORE = 'io.k8s.api.core.v1'

const containerPortSchema = object(`${CORE}.ContainerPort`, 'A port of a container.', {
  containerPort: unnumbered(int32, 'The port in the container.'),
  name: unnumbered(string, 'A name for it.'),
  hostPort: unnumbered(int32, 'The port on the host.'),
  protocol: unnumbered(string, 'TCP, UDP or SCTP.'),
  hostIP: unnumbered(string, 'The address on the host.'),
})

const envVarSchema = object(`${CORE}.EnvVar`, 'An environment variable.', {
  name: unnumbered(string, 'Its name.'),
  value: unnumbered(string, 'Its value.'),
  valueFrom: unnumbered(any, 'Where its value comes from.'),
})

const volumeMountSchema = object(`${CORE}.VolumeMount`, 'A volume as the container sees it.', {
  name: unnumbered(string, 'The volume.'),
  mountPath: unnumbered(string, 'Where it appears.'),
  readOnly: unnumbered(boolean, 'Whether it can only be read.'),
  recursiveReadOnly: unnumbered(string, 'Whether that holds for what is mounted inside.'),
  subPath: unnumbered(string, 'The part of the volume that is mounted.'),
  subPathExpr: unnumbered(string, 'The same, with variables.'),
  mountPropagation: unnumbered(string, 'Whether later mounts are shared.'),
})

const volumeDeviceSchema = object(`${CORE}.VolumeDevice`, 'A raw device of a container.', {
  name: unnumbered(string, 'The volume.'),
  devicePath: unnumbered(string, 'Where it appears.'),
})

export const resourceRequirementsSchema = object(
  `${CORE}.ResourceRequirements`,
  'What is asked for and what is the most.',
  {
    limits: unnumbered(mapOf(quantity), 'The most it may use.'),
    requests: unnumbered(mapOf(quantity), 'What it needs.'),
    claims: unnumbered(listOf(any), 'Claims on devices.'),
  },
)

const containerFields: Readonly<Record<string, Field>> = {
  name: unnumbered(string, 'Unique within the pod.'),
  image: unnumbered(string, 'What it runs.'),
  command: unnumbered(listOf(string), 'Replaces the entry point of the image.'),
  args: unnumbered(listOf(string), 'Arguments of the entry point.'),
  workingDir: unnumbered(string, 'Where it starts.'),
  ports: unnumbered(listBy('containerPort', containerPortSchema), 'Its ports.'),
  envFrom: unnumbered(listOf(any), 'Sources of environment variables.'),
  env: unnumbered(listBy('name', envVarSchema), 'Its environment.'),
  resources: unnumbered(resourceRequirementsSchema, 'What it needs.'),
  resizePolicy: unnumbered(listOf(any), 'How it takes a change of resources.'),
  restartPolicy: unnumbered(string, 'Always makes an init container a sidecar.'),
  restartPolicyRules: unnumbered(listOf(any), 'Exceptions to the restart policy.'),
  volumeMounts: unnumbered(listBy('mountPath', volumeMountSchema), 'Volumes mounted.'),
  volumeDevices: unnumbered(listBy('devicePath', volumeDeviceSchema), 'Raw devices.'),
  livenessProbe: unnumbered(any, 'How to tell that it must be restarted.'),
  readinessProbe: unnumbered(any, 'How to tell that it can serve.'),
  startupProbe: unnumbered(any, 'How to tell that it has started.'),
  lifecycle: unnumbered(any, 'What runs after its start and before its end.'),
  terminationMessagePath: unnumbered(string, 'Where it writes its last words.'),
  terminationMessagePolicy: unnumbered(string, 'Where they are read from.'),
  imagePullPolicy: unnumbered(string, 'Always, Never or IfNotPresent.'),
  securityContext: unnumbered(any, 'Its privileges.'),
  stdin: unnumbered(boolean, 'Whether it has an input.'),
  stdinOnce: unnumbered(boolean, 'Whether the input closes after the first session.'),
  tty: unnumbered(boolean, 'Whether it has a terminal.'),
}

export const containerSchema = object(
  `${CORE}.Container`,
  'Something that runs in a pod.',
  containerFields,
)

export const ephemeralContainerSchema = object(
  `${CORE}.EphemeralContainer`,
  'A container added to a running pod to look into it.',
  {
    ...containerFields,
    targetContainerName: unnumbered(string, 'The container whose processes it sees.'),
  },
)

const containerStateSchema = object(
  `${CORE}.ContainerState`,
  'What a container is doing: one of these.',
  {
    waiting: unnumbered(
      object(`${CORE}.ContainerStateWaiting`, 'It does not run yet.', {
        reason: unnumbered(string, 'Why, in one word.'),
        message: unnumbered(string, 'Why, in a sentence.'),
      }),
      'It does not run yet.',
    ),
    running: unnumbered(
      object(`${CORE}.ContainerStateRunning`, 'It runs.', {
        startedAt: unnumbered(time, 'Since when.'),
      }),
      'It runs.',
    ),
    terminated: unnumbered(
      object(`${CORE}.ContainerStateTerminated`, 'It has ended.', {
        exitCode: unnumbered(int32, 'What it ended with.'),
        signal: unnumbered(int32, 'The signal that ended it.'),
        reason: unnumbered(string, 'Why, in one word.'),
        message: unnumbered(string, 'Why, in a sentence.'),
        startedAt: unnumbered(time, 'When it had started.'),
        finishedAt: unnumbered(time, 'When it ended.'),
        containerID: unnumbered(string, 'Which run it was.'),
      }),
      'It has ended.',
    ),
  },
)

export const containerStatusSchema = object(
  `${CORE}.ContainerStatus`,
  'How a container is, as its host reports.',
  {
    name: unnumbered(string, 'Which container.'),
    state: unnumbered(containerStateSchema, 'What it is doing.'),
    lastState: unnumbered(containerStateSchema, 'How its last run ended.'),
    ready: unnumbered(boolean, 'Whether it can serve.'),
    restartCount: unnumbered(int32, 'How often it was started again.'),
    image: unnumbered(string, 'What it runs.'),
    imageID: unnumbered(string, 'What exactly it runs.'),
    containerID: unnumbered(string, 'Which run this is.'),
    started: unnumbered(boolean, 'Whether it has come up.'),
    allocatedResources: unnumbered(mapOf(quantity), 'What it was given.'),
    resources: unnumbered(resourceRequirementsSchema, 'What it uses.'),
    volumeMounts: unnumbered(listBy('mountPath', any), 'Volumes mounted.'),
    user: unnumbered(any, 'Who its first process is.'),
    allocatedResourcesStatus: unnumbered(listOf(any), 'How its devices are.'),
    stopSignal: unnumbered(string, 'The signal that ends it.'),
  },
)
