/**
 * @file Gives electron-updater what is signed and nothing else: the yml is read, then our feed beside it, and what
 * both say is built anew from the signed one. Until that is done, nothing is downloaded.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import type { AppUpdater, UpdateInfo } from 'electron-updater'
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js'
import { GenericProvider } from 'electron-updater/out/providers/GenericProvider.js'
import { acceptFeed, compareFeeds, type FeedContext, type SignedFeed } from './feed.ts'

interface SignedProviderOptions {
  provider: 'custom'
  address: string
  /** electron-builder's name: `latest`, `beta`. */
  channel: string
  context: () => Omit<FeedContext, 'feed'>
  /** Told before electron-updater is. */
  onAccepted: (feed: SignedFeed, text: string) => void
}

/** `latest` and what electron-updater adds to it for a system. */
export function feedName(channel: string, platform: NodeJS.Platform, arch: string): string {
  if (platform === 'darwin') return `${channel}-mac`
  if (platform === 'linux') return `${channel}-linux${arch === 'x64' ? '' : `-${arch}`}`
  return channel
}

export class SignedProvider extends GenericProvider {
  private readonly options: SignedProviderOptions

  constructor(options: SignedProviderOptions, updater: AppUpdater, runtime: ProviderRuntimeOptions) {
    const configuration = { provider: 'generic' as const, url: options.address, channel: options.channel }
    // Release hosts answer one range at a time.
    super(configuration, updater, { ...runtime, isUseMultipleRangeRequest: false })
    this.options = options
  }

  override async getLatestVersion(): Promise<UpdateInfo> {
    const unsigned = await super.getLatestVersion()
    const feed = feedName(this.options.channel, process.platform, process.arch)
    const text = await this.read(`${feed}.json`)
    const signed = acceptFeed(text, { ...this.options.context(), feed })
    // electron-builder always writes a size; where somebody took it away, it is not compared.
    compareFeeds(unsigned, signed)
    this.options.onAccepted(signed, text ?? '')
    const files = signed.files.map(({ name, ...rest }) => ({ url: name, ...rest }))
    const [first] = files
    return {
      version: signed.version,
      files,
      releaseDate: signed.date,
      releaseNotes: signed.notes,
      path: first?.url ?? '',
      sha512: first?.sha512 ?? '',
    }
  }

  /** Without the number by which electron-updater would tell one user from another. */
  override setRequestHeaders(value: OutgoingHttpHeaders | null): void {
    const { 'x-user-staging-id': _, ...rest } = value ?? {}
    super.setRequestHeaders(rest)
  }

  /** Null: there is none. */
  private async read(name: string): Promise<string | null> {
    const url = new URL(name, this.options.address.replace(/\/*$/, '/'))
    url.searchParams.set('noCache', Date.now().toString(32))
    try {
      return await this.httpRequest(url)
    } catch (error) {
      if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return null
      throw error
    }
  }
}
