/** @file App info, banners, settings, services and updates, mirrored from main. */
import type { AppInfo, Notice, UpdateState } from '@shared/ipc/app-state.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import type { ProfileView } from '@shared/service/profile.ts'
import type { Settings } from '@shared/settings/settings.ts'
import { useLanguage } from './language.svelte.ts'

const unknownInfo: AppInfo = {
  version: '',
  platform: 'linux',
  electron: '',
  chromium: '',
  theme: 'dark',
  language: 'en',
  systemLanguage: 'en',
  keychain: 'ready',
  canRunInBackground: false,
  measuredFps: null,
  benchmark: { state: 'idle', measured: null, speeds: [], error: null },
  cores: 0,
  memoryBytes: 0,
  locked: [],
}

export class AppState {
  #info = $state.raw<AppInfo>(unknownInfo)
  #notices = $state.raw<readonly Notice[]>([])
  #settings = $state.raw({} as Settings) // loaded before the first view is mounted
  #profiles = $state.raw<readonly ProfileView[]>([])
  #update = $state.raw<UpdateState>({ kind: 'idle', checkedAt: null })
  /** Incremented for each change of the settings: the answer to an earlier one lacks the later ones. */
  #turn = 0
  readonly info = $derived(this.#info)
  readonly notices = $derived(this.#notices)
  readonly settings = $derived(this.#settings)
  readonly profiles = $derived(this.#profiles)
  readonly update = $derived(this.#update)

  constructor(private readonly bridge: Bridge) {}

  async start(): Promise<void> {
    const { app, settings, profiles, updates } = this.bridge
    app.infoChanged((info) => {
      this.#info = info
      void this.#paint()
    })
    app.noticesChanged((notices) => (this.#notices = notices))
    settings.changed((value) => (this.#settings = value))
    profiles.changed((list) => (this.#profiles = list))
    updates.changed((state) => (this.#update = state))
    await Promise.all([
      app.info().then((info) => (this.#info = info)),
      app.notices().then((notices) => (this.#notices = notices)),
      settings.get().then((value) => (this.#settings = value)),
      profiles.list().then((list) => (this.#profiles = list)),
      updates.state().then((state) => (this.#update = state)),
    ])
    await this.#paint()
  }

  profile(id: string): ProfileView | undefined {
    return this.#profiles.find((profile) => profile.id === id)
  }

  /** Whether a service has a key that may be used. */
  hasKey(profileId: string): boolean {
    const profile = this.profile(profileId)
    return profile === undefined || profile.embedded || (profile.key.kept !== 'none' && !profile.key.refused)
  }

  /** Applies the change at once, then replaces it with the answer from main to the last change. */
  async set(change: Partial<Settings>): Promise<void> {
    this.#settings = { ...this.#settings, ...change }
    const turn = ++this.#turn
    const stored = await this.bridge.settings.set(change)
    if (turn === this.#turn) this.#settings = stored
  }

  async #paint(): Promise<void> {
    const root = document.documentElement
    root.dataset['theme'] = this.#info.theme
    root.dataset['platform'] = this.#info.platform
    await useLanguage(this.#info.language)
  }
}
