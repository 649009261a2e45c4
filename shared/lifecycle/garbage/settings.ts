import type { SettingGroup } from '../setting-group.ts'

interface GarbageSettings {
  /** Finished pods that are kept; 0 or less keeps all. */
  readonly terminatedPodGcThreshold: number
}

export const garbageSettings: SettingGroup<GarbageSettings> = {
  defaults: { terminatedPodGcThreshold: 12_500 },
  flags: { 'terminated-pod-gc-threshold': ['terminatedPodGcThreshold', 'integer'] },
  problems: () => [],
}
