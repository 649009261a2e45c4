/** How a container is, as its host reports. Read for every line of `kubectl get pods`. */
import {
  any,
  boolean,
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
import { resourceRequirementsSchema } from './container.ts'

const CORE = 'io.k8s.api.core.v1'

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
