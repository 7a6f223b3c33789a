import type { Settings } from '@shared/settings/settings.ts'
import type { UploadTarget } from '@shared/service/upload-target.ts'
import type { StoredProfile } from './stored-profile.ts'

/** The values of a policy that replace settings. Null: not set, the user chooses. */
export interface PolicySettings {
  profiles: StoredProfile[]
  /** Upload targets of services that only accept URLs, by id. */
  uploadTargets: Readonly<Record<string, UploadTarget>>
  resultsFolder: string | null
  updateCheck: Settings['updateCheck'] | null
  updateDownload: Settings['updateDownload'] | null
  updateChannel: Settings['updateChannel'] | null
  credentials: Settings['credentials'] | null
  /** Of every swap on this computer. */
  label: Settings['label'] | null
}

export const noPolicySettings: PolicySettings = {
  profiles: [],
  uploadTargets: {},
  resultsFolder: null,
  updateCheck: null,
  updateDownload: null,
  updateChannel: null,
  credentials: null,
  label: null,
}
