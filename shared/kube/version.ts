/**
 * Which Kubernetes do we speak? `kubectl` warns when the minor is more than one away from its own,
 * and some distributions of it choose a binary by it, so it names the release whose API this
 * service follows.
 */
export const version = {
  major: '1',
  minor: '33',
  gitVersion: 'v1.33.0+leasehold',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
} as const
