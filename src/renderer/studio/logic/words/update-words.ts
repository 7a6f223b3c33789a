/** @file Texts in the settings about updates. */
import { formatBytes, formatClock, formatDate, formatDayInline, formatShare } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { UpdateState } from '@shared/ipc/app-state.ts'

interface Words {
  title: string
  /** May be empty. */
  body: string
}

/** `version`: the running version. */
export function updateWords(update: UpdateState, version: string, nowMs: number): Words {
  const current = m.mien_version({ version })
  switch (update.kind) {
    case 'off':
      return { title: current, body: offWords[update.reason]() }
    case 'checking':
      return { title: current, body: m.update_checking() }
    case 'failed':
      return { title: current, body: '' }
    case 'idle': {
      const { checkedAt } = update
      if (checkedAt === null) return { title: current, body: m.update_not_checked() }
      const when = { day: formatDayInline(checkedAt, nowMs), time: formatClock(checkedAt) }
      return { title: m.update_up_to_date({ version }), body: m.update_checked(when) }
    }
    case 'available': {
      const { offer } = update
      const facts = { size: formatBytes(offer.sizeBytes), date: formatDate(Date.parse(offer.date)) }
      return { title: m.update_available({ version: offer.version }), body: m.update_available_facts(facts) }
    }
    case 'downloading':
      return { title: m.update_downloading({ version: update.offer.version }), body: formatShare(update.share) }
    case 'ready': {
      const title = m.update_ready({ version: update.offer.version })
      if (update.waiting) return { title, body: m.update_waiting() }
      return { title, body: update.onQuit ? m.update_on_quit() : m.update_on_ask() }
    }
  }
}

const offWords = {
  development: m.update_off_development,
  policy: m.update_off_policy,
  settings: m.update_off_settings,
  'not-updatable': m.update_off_not_updatable,
}
