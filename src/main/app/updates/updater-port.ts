/** @file Adapter for electron-updater: its session, and the installation of an update. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { app } from 'electron'
import type { AppUpdater } from 'electron-updater'
import { lte, prerelease } from 'semver'
import { MienError } from '@shared/errors.ts'
import type { Settings } from '@shared/settings/settings.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { ProxyLogin } from '../../machine/policy/proxy.ts'
import type { Standing } from './decide.ts'
import { acceptFeed, type SignedFeed, isOwnHost } from './feed.ts'
import { checkFile, halfPath, installFile } from './install-file.ts'

/**
 * Built in (electron.vite.config.ts): they can't be changed from outside a packaged app. Two keys, so that one can be
 * replaced while the other is still valid. Base64 of SPKI DER.
 */
declare const __MIEN_UPDATE_KEYS__: readonly string[]

export type Channel = Settings['updateChannel']

/** electron-builder's channel name. */
const feedChannel: Readonly<Record<Channel, string>> = { stable: 'latest', beta: 'beta' }

export interface FeedPlace {
  address: string
  channel: Channel
}

export interface Downloaded {
  /** Path of the downloaded file. */
  file: string
  feed: SignedFeed
  /** The feed's text, verified again before the installation. */
  text: string
}

/** How this copy of Mien was installed. */
export function ownCopy(): Standing['copy'] {
  if (process.platform === 'darwin') return 'mac'
  const beside = dirname(app.getPath('exe'))
  if (process.platform === 'win32') return existsSync(join(beside, 'Uninstall Mien.exe')) ? 'nsis' : null
  if (process.env['APPIMAGE'] !== undefined) return 'appimage'
  return existsSync(join(process.resourcesPath, 'package-type')) ? 'package' : null
}

export function openUpdater(copy: Standing['copy'], login: ProxyLogin, log: Logger) {
  let updater: AppUpdater | null = null
  /** Feed accepted in the last check: at most one. */
  const accepted: { feed: SignedFeed; text: string }[] = []
  let address = ''
  const context = () => ({ keys: __MIEN_UPDATE_KEYS__, current: app.getVersion(), now: Date.now() })
  const appImage = process.env['APPIMAGE']
  if (appImage !== undefined) void rm(halfPath(appImage), { force: true }).catch(() => undefined)

  /** Loads electron-updater lazily, on the first check. */
  const load = async (): Promise<AppUpdater> => {
    if (updater) return updater
    const { default: module } = await import('electron-updater')
    const loaded = module.autoUpdater
    loaded.autoDownload = false
    loaded.allowDowngrade = false
    // On macOS the system's updater installs it and must know before the quit.
    loaded.autoInstallOnAppQuit = copy === 'mac'
    loaded.logger = {
      info: (message: unknown) => log.info(`updater: ${String(message)}`),
      warn: (message: unknown) => log.warn(`updater: ${String(message)}`),
      error: (message: unknown) => log.warn(`updater: ${String(message)}`),
    }
    // Without an answer, a request through a proxy with a password would wait forever.
    loaded.on('login', (info, callback) => login(info, (user = '', password = '') => callback(user, password)))
    loaded.netSession.webRequest.onBeforeRequest((details, callback) =>
      callback({ cancel: !isOwnHost(details.url, address) }),
    )
    updater = loaded
    return loaded
  }

  return {
    /** Null: nothing newer. */
    check: async (place: FeedPlace): Promise<SignedFeed | null> => {
      const loaded = await load()
      const { SignedProvider } = await import('./signed-provider.ts')
      address = place.address
      accepted.length = 0
      const options = {
        provider: 'custom',
        updateProvider: SignedProvider,
        address,
        channel: feedChannel[place.channel],
        context,
        onAccepted: (feed: SignedFeed, text: string) => accepted.push({ feed, text }),
      }
      // electron-updater's type of a provider class only allows its own options.
      loaded.setFeedURL(options as unknown as Parameters<AppUpdater['setFeedURL']>[0])
      const found = await loaded.checkForUpdates()
      return found?.isUpdateAvailable === true ? believed(accepted.at(-1)).feed : null
    },
    /** Downloads the result of the last `check`. */
    download: async (onShare: (share: number) => void): Promise<Downloaded> => {
      const loaded = await load()
      const { feed, text } = believed(accepted.at(-1))
      const progress = ({ percent }: { percent: number }): void => onShare(Math.min(1, percent / 100))
      loaded.on('download-progress', progress)
      try {
        const [file] = await loaded.downloadUpdate()
        if (file === undefined) throw new MienError('update-failed', { reason: 'no file' })
        return { file, feed, text }
      } finally {
        loaded.off('download-progress', progress)
      }
    },
    /** Last step before the process ends. */
    install: async ({ file, feed, text }: Downloaded, restart: boolean): Promise<void> => {
      // Hours may have passed since the download: verify the feed and the file again.
      const again = acceptFeed(text, { ...context(), feed: feed.feed })
      if (lte(again.version, app.getVersion()) && prerelease(again.version) === null)
        throw new MienError('update-older', { version: again.version, current: app.getVersion() })
      if (copy === 'appimage' && appImage !== undefined) {
        await installFile(file, appImage, promisedFile(again, file))
        if (restart) startAfterwards(appImage)
        return
      }
      if (copy !== 'mac') await checkFile(file, promisedFile(again, file))
      const loaded = await load()
      if (copy === 'mac' && !restart) return
      loaded.quitAndInstall(true, restart)
      // An installer is a separate process, so only wait for its start. On macOS the system's updater ends this
      // process.
      await new Promise((resolve) => setTimeout(resolve, copy === 'mac' ? 10_000 : 500))
    },
  }
}

export type UpdaterPort = ReturnType<typeof openUpdater>

function believed<T>(accepted: T | undefined): T {
  if (accepted === undefined) throw new MienError('update-unsigned')
  return accepted
}

/** electron-updater keeps the file name of the feed. */
function promisedFile(feed: SignedFeed, path: string): SignedFeed['files'][number] {
  const file = feed.files.find(({ name }) => name === basename(path))
  if (!file) throw new MienError('update-mismatch', { reason: basename(path) })
  return file
}

/** Starts the new version while this one exits; releases the single-instance lock for it first. */
function startAfterwards(program: string): void {
  app.releaseSingleInstanceLock()
  // These variables describe the old AppImage.
  const { APPDIR: _, OWD: __, ARGV0: ___, ...env } = process.env
  spawn(program, process.argv.slice(1), { detached: true, stdio: 'ignore', env }).unref()
}
