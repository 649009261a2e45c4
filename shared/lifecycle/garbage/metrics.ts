/** kube-controller-manager's metrics of its pod garbage collector. */
export const garbageMetrics = {
  pod_gc_collector_force_delete_pods_total: {
    type: 'counter',
    help: 'Pods collected as garbage, failed attempts included.',
    label: 'reason',
  },
  pod_gc_collector_force_delete_pod_errors_total: {
    type: 'counter',
    help: 'Pods that were garbage and could not be deleted.',
    label: 'reason',
  },
} as const
