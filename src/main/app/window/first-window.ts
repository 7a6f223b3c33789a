/**
 * @file Opens the window before most of main is loaded, so that its page loads meanwhile. Keep what this file imports
 * small: the window waits for it.
 */
import { nativeTheme, session } from 'electron'
import { eventSender, registerIpc, type IpcAnswers } from '../ipc/register.ts'
import type { Logger } from '../../machine/log/log.ts'
import { useProxy } from '../../machine/policy/proxy.ts'
import { readPolicy } from '../../machine/policy/read-policy.ts'
import { SettingsStore } from '../../machine/settings/settings-store.ts'
import { useLanguage } from '../../machine/system/language.ts'
import { pageDelivered, openStudioWindow, prepareStudioSession } from './studio-window.ts'
import { WindowLife } from './window-life.ts'

/**
 * Call after the app is ready.
 * @throws MienError `data-newer`
 */
export async function openFirstWindow(
  { dataDir, outDir, resourcesDir }: Record<'dataDir' | 'outDir' | 'resourcesDir', string>,
  log: Logger,
) {
  const { policy, problems } = readPolicy()
  const settings = new SettingsStore(dataDir, Date.now(), policy)
  await useLanguage(settings.settings.language)
  nativeTheme.themeSource = settings.settings.theme
  const media = Promise.withResolvers<(id: string) => string | null>()
  prepareStudioSession({ outDir, resourcesDir, mediaPath: async (id) => (await media.promise)(id) })
  const delivered = pageDelivered()
  const life: WindowLife = new WindowLife(
    () =>
      openStudioWindow({
        outDir,
        place: settings.window,
        onPlace: (place) => settings.keep({ window: place }),
        zoomFactor: () => settings.settings.zoomFactor,
      }),
    log,
  )
  const studio = () => life.window?.webContents ?? null
  const { promise, resolve } = Promise.withResolvers<IpcAnswers>()
  registerIpc({ studio, answers: promise, log: log.warn })
  return {
    policy,
    problems,
    // Main's own session takes a while to create, and nothing is requested before.
    login: useProxy(policy.proxy, [session.defaultSession]),
    settings,
    life,
    /** Until then, main should have time: it takes part in each step of the page's start. */
    delivered,
    send: eventSender(studio),
    /** Answers the page's calls, which wait until then. */
    answer: resolve,
    /** Serves files to the page, by media id; null if there is none. Requests wait until then. */
    serveMedia: media.resolve,
  }
}

export type FirstWindow = Awaited<ReturnType<typeof openFirstWindow>>
