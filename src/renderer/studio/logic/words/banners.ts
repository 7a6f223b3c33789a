/** @file Turns notices into banners: what happened (in bold), what it means, and one action. */
import { errorText } from '@shared/i18n/error-text.ts'
import { formatList } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { isActive } from '@shared/tasks/task-states.ts'
import type { TaskSummary } from '@shared/tasks/task-row.ts'
import type { Notice } from '@shared/ipc/app-state.ts'
import type { ProfileView } from '@shared/service/profile.ts'

type BannerAction =
  | 'replace-key'
  | 'settings'
  | 'folder'
  | 'help-keyring'
  | 'retry-service'
  | 'update-download'
  | 'update-restart'
  | 'updates'

export interface Banner {
  readonly id: string
  readonly tone: 'warn' | 'info' | 'still'
  readonly icon: 'key' | 'lock' | 'folder' | 'info' | 'offline'
  readonly what: string
  readonly means: string
  readonly action?: { readonly label: string; readonly run: BannerAction }
  readonly profileId?: string | undefined
  readonly closes: boolean
}

const order: readonly Notice['kind'][] = [
  'no-sandbox',
  'service-failed',
  'results-folder',
  'policy',
  'library-reset',
  'settings-reset',
  'certificate-changed',
  'key-refused',
  'no-keychain',
  'update-refused',
  'offline',
  'update-ready',
  'update-available',
]
const max = 2

export function banners(
  notices: readonly Notice[],
  profiles: readonly ProfileView[],
  tasks: readonly TaskSummary[],
): readonly Banner[] {
  // A missing keychain only matters to services that need a key.
  const remote = profiles.some((profile) => !profile.embedded)
  return notices
    .filter((notice) => notice.kind !== 'no-keychain' || remote)
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
    .slice(0, max)
    .map((notice) => banner(notice, profiles, tasks))
}

function banner(notice: Notice, profiles: readonly ProfileView[], tasks: readonly TaskSummary[]): Banner {
  const { id } = notice
  switch (notice.kind) {
    case 'key-refused': {
      const { name: service, lastFour, profileId } = notice
      const text = errorText({ code: 'key-refused', details: { service, lastFour } })
      return {
        ...{ id, tone: 'warn', icon: 'key', what: `${text.title}.`, means: text.body, closes: true, profileId },
        action: { label: m.remedy_replace_key(), run: 'replace-key' },
      }
    }
    case 'certificate-changed': {
      const text = errorText({ code: 'certificate-changed', details: { service: notice.name } })
      return {
        ...{ id, tone: 'warn', icon: 'lock', what: `${text.title}.`, means: text.body, closes: true },
        ...{ profileId: 'new', action: { label: m.pairing_enter(), run: 'settings' } },
      }
    }
    case 'no-keychain': {
      const text = errorText({ code: 'no-keychain', details: {} })
      return {
        ...{ id, tone: 'warn', icon: 'lock', what: `${text.title}.`, means: m.keychain_missing_body(), closes: true },
        action: { label: m.how_to_install(), run: 'help-keyring' },
      }
    }
    case 'results-folder': {
      const text = errorText({ ...notice.error, details: { folder: notice.folderName, ...notice.error.details } })
      return {
        ...{ id, tone: 'warn', icon: 'folder', what: `${text.title}.`, means: text.body, closes: false },
        action: { label: m.choose_folder(), run: 'folder' },
      }
    }
    case 'service-failed': {
      const text = errorText({ ...notice.error, details: { service: m.this_computer(), ...notice.error.details } })
      const means = m.title_and_body(text)
      const shown = { id, tone: 'warn', icon: 'info', what: m.banner_service_failed(), means, closes: false } as const
      // This version can never open data of a newer Mien, so offer no retry.
      if (notice.error.code === 'data-newer') return shown
      return { ...shown, action: { label: m.remedy_try_again(), run: 'retry-service' } }
    }
    case 'settings-reset':
      return {
        ...{ id, tone: 'info', icon: 'info', closes: true },
        ...{ what: m.banner_settings_reset(), means: m.banner_reset_backup({ name: notice.backup }) },
      }
    case 'library-reset':
      return {
        ...{ id, tone: 'warn', icon: 'info', closes: true },
        ...{ what: m.banner_library_reset(), means: m.banner_library_backup({ name: notice.backup }) },
      }
    case 'no-sandbox':
      return {
        ...{ id, tone: 'warn', icon: 'lock', closes: true },
        ...{ what: m.banner_no_sandbox(), means: m.banner_no_sandbox_means() },
      }
    case 'policy':
      return { id, tone: 'warn', icon: 'info', what: m.banner_policy(), means: policyMeans(notice), closes: true }
    case 'update-available':
      return {
        ...{ id, tone: 'info', icon: 'info', closes: true, means: m.banner_update_available_means() },
        what: m.banner_update_available({ version: notice.version }),
        action: { label: m.download(), run: 'update-download' },
      }
    case 'update-ready':
      return {
        ...{ id, tone: 'info', icon: 'info', closes: true, what: m.banner_update_ready({ version: notice.version }) },
        means: notice.onQuit ? m.banner_update_ready_quit() : m.banner_update_ready_ask(),
        action: { label: m.restart_now(), run: 'update-restart' },
      }
    case 'update-refused': {
      const { title, body } = errorText(notice.error)
      return {
        ...{ id, tone: 'warn', icon: 'info', what: `${title}.`, means: body, closes: true },
        action: { label: m.show(), run: 'updates' },
      }
    }
    case 'offline': {
      const far = tasks.filter(
        (task) => isActive(task.state) && profiles.find(({ id: known }) => known === task.profileId)?.embedded !== true,
      ).length
      return {
        ...{ id, tone: 'still', icon: 'offline', what: m.banner_offline(), closes: false },
        means: far === 0 ? m.banner_offline_here() : m.banner_offline_waiting({ count: far }),
      }
    }
  }
}

function policyMeans({ where, problem, names }: Extract<Notice, { kind: 'policy' }>): string {
  if (problem === 'syntax') return m.banner_policy_syntax({ where })
  const facts = { where, names: formatList(names) }
  return problem === 'unknown' ? m.banner_policy_unknown(facts) : m.banner_policy_invalid(facts)
}
