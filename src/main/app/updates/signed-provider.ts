/**
 * @file Provider for electron-updater that only returns signed data. Reads the yml and our signed feed next to it,
 * compares them, and builds the update info from the signed one. Nothing is downloaded before that.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import type { AppUpdater, UpdateInfo } from 'electron-updater'
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js'
import { GenericProvider } from 'electron-updater/out/providers/GenericProvider.js'
import { acceptFeed, compareFeeds, type FeedContext, type SignedFeed } from './feed.ts'

interface SignedProviderOptions {
  provider: 'custom'
  address: string
  /** electron-builder's channel name: `latest`, `beta`. */
  channel: string
  context: () => Omit<FeedContext, 'feed'>
  /** Called before electron-updater gets the result. */
  onAccepted: (feed: SignedFeed, text: string) => void
}

/** Feed name: the channel plus electron-updater's suffix for the system. */
export function feedName(channel: string, platform: NodeJS.Platform, arch: string): string {
  if (platform === 'darwin') return `${channel}-mac`
  if (platform === 'linux') return `${channel}-linux${arch === 'x64' ? '' : `-${arch}`}`
  return channel
}

export class SignedProvider extends GenericProvider {
  constructor(
    private readonly options: SignedProviderOptions,
    updater: AppUpdater,
    runtime: ProviderRuntimeOptions,
  ) {
    const configuration = { provider: 'generic' as const, url: options.address, channel: options.channel }
    // Release hosts don't support multiple ranges in a request.
    super(configuration, updater, { ...runtime, isUseMultipleRangeRequest: false })
  }

  override async getLatestVersion(): Promise<UpdateInfo> {
    const unsigned = await super.getLatestVersion()
    const feed = feedName(this.options.channel, process.platform, process.arch)
    const text = await this.read(`${feed}.json`)
    const signed = acceptFeed(text, { ...this.options.context(), feed })
    // electron-builder always writes a size; if it was removed, it isn't compared.
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

  /** Removes the id by which electron-updater would identify a user. */
  override setRequestHeaders(value: OutgoingHttpHeaders | null): void {
    const { 'x-user-staging-id': _, ...rest } = value ?? {}
    super.setRequestHeaders(rest)
  }

  /** Text of a file next to the feed; null when there is none. */
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
