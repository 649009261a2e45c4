/**
 * The features that attach to the core through lists only. Deleting a feature's `paths` and the
 * lines of its `lists` that name it leaves a project that compiles and passes its other tests:
 * `npm run features` proves it.
 */
export interface Feature {
  readonly name: string
  /** Files and folders that are the feature: sources, tests, documents. */
  readonly paths: readonly string[]
  /** The files outside of `paths` that may import it. */
  readonly lists: readonly string[]
}

const MONITOR = 'functions/monitor/features.ts'
const SETTINGS = 'shared/lifecycle/settings.ts'
const METRICS = 'shared/lifecycle/metrics/catalogue.ts'

export const features: readonly Feature[] = [
  {
    name: 'pod-cidrs',
    paths: [
      'shared/lifecycle/cidr',
      'functions/monitor/features/pod-cidrs.ts',
      'test/shared/lifecycle/cidr',
      'test/vectors/cidr-allocation.json',
      'test/functions/monitor/features/pod-cidrs.test.ts',
    ],
    lists: [MONITOR, SETTINGS, METRICS],
  },
  {
    name: 'cloud-check',
    paths: [
      'shared/lifecycle/cloud',
      'functions/monitor/features/cloud-check',
      'infra/features/cloud-check.ts',
      'test/infra/features/cloud-check.test.ts',
      'test/shared/lifecycle/cloud',
      'test/vectors/cloud-node-lifecycle.json',
      'test/functions/monitor/features/cloud-check',
    ],
    lists: [MONITOR, SETTINGS, METRICS, 'infra/features.ts'],
  },
  {
    name: 'pod-garbage',
    paths: [
      'shared/lifecycle/garbage',
      'functions/monitor/features/pod-garbage.ts',
      'test/shared/lifecycle/garbage',
      'test/vectors/pod-gc.json',
      'test/functions/monitor/features/pod-garbage.test.ts',
    ],
    lists: [MONITOR, SETTINGS, METRICS],
  },
  {
    name: 'namespace-deletion',
    paths: [
      'shared/lifecycle/namespaces',
      'functions/monitor/features/namespaces',
      'test/shared/lifecycle/namespaces',
      'test/functions/monitor/features/namespaces',
    ],
    lists: [MONITOR],
  },
  {
    name: 'cells',
    paths: [
      'shared/kube/cells',
      'shared/lifecycle/cells',
      'functions/monitor/features/cells.ts',
      'dashboard/cells',
      'test/shared/kube/cells',
      'test/shared/lifecycle/cells',
      // The page is measured and tested with fleets that are drawn from cells.
      'test/browser/fleet-objects.ts',
      'test/browser/page.test.ts',
      'bench/dashboard.ts',
      'test/functions/monitor/features/cells.test.ts',
      'test/dashboard/cells',
    ],
    lists: [
      MONITOR,
      'shared/kube/registry.ts',
      'dashboard/features.ts',
      'bench/main.ts',
      'test/functions/api/full-api.identity-matrix.test.ts',
    ],
  },
  {
    name: 'fleet-view',
    paths: [
      'functions/monitor/features/fleet-view.ts',
      'test/functions/monitor/features/fleet-view.test.ts',
    ],
    lists: [MONITOR],
  },
  {
    name: 'explain',
    paths: [
      'shared/lifecycle/explain',
      'shared/kube/explanation',
      'functions/api/explain',
      'local/cli/explain-command.ts',
      'dashboard/explain',
      'test/dashboard/explain',
      'docs/rules.md',
      'test/shared/lifecycle/explain',
      'test/functions/api/explain',
      'test/local/cli/explain-command.test.ts',
      'test/shared/kube/explanation',
    ],
    lists: [
      'shared/kube/registry.ts',
      'functions/api/storage/registry.ts',
      'local/cli/program.ts',
      'dashboard/features.ts',
      'test/functions/api/full-api.identity-matrix.test.ts',
    ],
  },
]
