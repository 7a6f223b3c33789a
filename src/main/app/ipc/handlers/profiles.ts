/** @file IPC handlers for services, their keys, and a user's keys at a service. */
import { clipboard, dialog, type BrowserWindow } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

const searchMs = 5000

/** Call after the active key has changed. */
function newKey({ notices, context }: HandlerDeps, profileId: string): void {
  notices.remove(`key-refused:${profileId}`)
  context.tasks.pauses.keyChanged(profileId)
}

export function profilesHandlers(deps: HandlerDeps): GroupHandlers<'profiles'> {
  const { notices, send } = deps
  const { profiles, tasks, uploads } = deps.context
  /** Its result reaches the studio as a change. */
  const testKey = (profileId: string): void => {
    // It fails if the service was removed meanwhile.
    profiles.test(profileId).catch(() => undefined)
  }
  return {
    list: () => profiles.listNow(),
    save: (input) => profiles.save(input),
    findNearby: async () => {
      // Not at startup: few people ask for it.
      const { findServers } = await import('../../../remote/pairing/nearby.ts')
      await findServers(AbortSignal.timeout(searchMs), (server) => send('profiles', 'foundNearby', server))
    },
    pair: async ({ code, keep, found }) => {
      const view = await profiles.pair(code, keep, { found: found ?? null })
      notices.remove(`key-refused:${view.id}`)
      if (!view.certificateChanged) notices.remove(`certificate-changed:${view.id}`)
      await tasks.pauses.paired(view)
      testKey(view.id)
      return view
    },
    remove: async ({ profileId }) => {
      await profiles.remove(profileId)
      await uploads.remove(profileId)
      notices.remove(`key-refused:${profileId}`)
      notices.remove(`certificate-changed:${profileId}`)
    },
    test: ({ profileId }) => profiles.test(profileId),
    setKey: async ({ profileId, key, keep, another }) => {
      const view = await profiles.setKey(profileId, key, keep, another)
      newKey(deps, profileId)
      testKey(profileId)
      return view
    },
    clearKey: ({ profileId, keyId }) => profiles.clearKey(profileId, keyId),
    useKey: async ({ profileId, keyId }) => {
      const view = await profiles.useKey(profileId, keyId)
      newKey(deps, profileId)
      testKey(profileId)
      return view
    },
    setAdmin: ({ profileId, value }) => profiles.setAdmin(profileId, value),
    pause: async ({ profileId, paused }) => {
      const view = await profiles.setPaused(profileId, paused)
      if (!paused) notices.remove(`certificate-changed:${profileId}`)
      await tasks.pauses.pausedService(profileId, paused)
      return view
    },
    mapWord: async ({ profileId, word, meaning }) => {
      const view = await profiles.mapWord(profileId, word, meaning)
      tasks.lookNow()
      return view
    },
  }
}

export function keysHandlers(deps: HandlerDeps): GroupHandlers<'keys'> {
  const { profiles } = deps.context
  return {
    list: ({ profileId, userId }) => profiles.listKeys(profileId, userId),
    make: async ({ profileId, userId }) => {
      const { sk, kept } = await profiles.makeKey(profileId, userId)
      newKey(deps, profileId)
      await showOnce(sk, kept, deps.window())
      return { lastFour: sk.slice(-4) }
    },
    revoke: ({ profileId, row }) => profiles.serviceKeys.revoke(profileId, row),
  }
}

/** Shown in a system dialog, so that no page ever has a key. */
async function showOnce(sk: string, kept: 'keychain' | 'session', parent: BrowserWindow | null): Promise<void> {
  const question = {
    type: 'info' as const,
    message: m.new_key_title(),
    detail: `${sk}\n\n${kept === 'keychain' ? m.new_key_kept() : m.new_key_session()}`,
    buttons: [m.new_key_copy(), m.done()],
    defaultId: 1,
    cancelId: 1,
  }
  const { response } = await (parent ? dialog.showMessageBox(parent, question) : dialog.showMessageBox(question))
  if (response === 0) await clipboard.writeText(sk)
}

export function uploadsHandlers({ context }: HandlerDeps): GroupHandlers<'uploads'> {
  const { profiles, uploads } = context
  return {
    get: ({ profileId }) => uploads.view(profileId),
    save: async ({ profileId, target, credentials }) => {
      await profiles.get(profileId)
      await uploads.save(profileId, target, credentials)
      return uploads.view(profileId)
    },
    remove: ({ profileId }) => uploads.remove(profileId),
    test: async ({ profileId }) => ({ error: await uploads.test(profileId) }),
  }
}
