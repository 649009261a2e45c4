import type { SettingGroup } from '../setting-group.ts'

interface CloudSettings {
  readonly cloudProvider: 'none' | 'aws'
}

export const cloudSettings: SettingGroup<CloudSettings> = {
  defaults: { cloudProvider: 'none' },
  flags: { 'cloud-provider': ['cloudProvider', ['none', 'aws']] },
  problems: () => [],
}
