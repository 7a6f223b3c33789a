/**
 * @file Wrapper for the system's keychain (keytar: Keychain on macOS, Credential Manager on Windows, Secret Service on
 * Linux). Without one every call fails with `no-keychain`; there is no fallback to a file. A timeout is `no-keychain`
 * with the reason `silent`.
 */
import { MienError } from '@shared/errors.ts'

type Keytar = typeof import('keytar')

const serviceName = 'Mien'
/** Max time to wait for a keyring on quit. */
const settleMs = 3000
/** Timeout of a request: long enough for the user to unlock the keyring. */
const patienceMs = 30_000

/** Requests without an answer. Each blocks a thread of this process. */
const unanswered = new Set<Promise<unknown>>()

/** Whether this process is waiting for a keychain. Then it can't end normally: see machine/system/end-process.ts. */
export const isKeychainStuck = (): boolean => unanswered.size > 0

export class Keychain {
  private isSilent = false
  private isClosed = false
  private last: Promise<unknown> = Promise.resolve()
  private keytar: Promise<Keytar> | null = null
  private readonly waitMs: number

  constructor(
    /** Separates the entries of different installs (or data folders) on one computer. */
    private readonly install: string,
    private readonly load: () => Promise<Keytar> = async () => (await import('keytar')).default,
    waitMs = patienceMs,
  ) {
    this.waitMs = waitMs
  }

  /** The same keychain, with the entries of another install. */
  ofInstall(install: string): Keychain {
    return new Keychain(install, this.load, this.waitMs)
  }

  /** Whether secrets can be stored on this computer now. Queries the real keychain. */
  async available(): Promise<boolean> {
    try {
      await this.use((keytar) => keytar.getPassword(serviceName, this.account('probe')))
      return true
    } catch {
      return false
    }
  }

  /** @throws MienError `no-keychain` */
  get(account: string): Promise<string | null> {
    return this.use((keytar) => keytar.getPassword(serviceName, this.account(account)))
  }

  /** @throws MienError `no-keychain` */
  set(account: string, secret: string): Promise<void> {
    return this.use((keytar) => keytar.setPassword(serviceName, this.account(account), secret))
  }

  /** @throws MienError `no-keychain` */
  async delete(account: string): Promise<void> {
    await this.use((keytar) => keytar.deletePassword(serviceName, this.account(account)))
  }

  /** Whether a request timed out and is still unanswered. */
  get silent(): boolean {
    return this.isSilent
  }

  /** Refuses new requests and waits for the pending ones: an answer during process exit makes keytar abort. */
  async settled(): Promise<void> {
    this.isClosed = true
    const patience = new Promise((resolve) => setTimeout(resolve, settleMs).unref())
    await Promise.race([this.last.then(() => Promise.allSettled(unanswered)), patience])
  }

  private account(name: string): string {
    return `${name}@${this.install}`
  }

  /** Sequential: each request blocks one of the few threads that also read files. */
  private use<T>(work: (keytar: Keytar) => Promise<T>): Promise<T> {
    const answer = this.last.then(() => this.ask(work))
    this.last = answer.catch(() => undefined)
    return answer
  }

  private async ask<T>(work: (keytar: Keytar) => Promise<T>): Promise<T> {
    if (this.isClosed) throw new MienError('no-keychain', { reason: 'closed' })
    if (this.isSilent) throw silent()
    let timer: NodeJS.Timeout | undefined
    try {
      this.keytar ??= this.load()
      const keytar = await this.keytar
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          this.isSilent = true
          reject(silent())
        }, this.waitMs)
      })
      const answer = work(keytar)
      unanswered.add(answer)
      const forget = (): void => {
        unanswered.delete(answer)
        this.isSilent = false
      }
      answer.then(forget, forget)
      return await Promise.race([answer, late])
    } catch (error) {
      if (error instanceof MienError) throw error
      // Keytar's message contains too much (bus addresses, paths); keep it as the cause, for the log only.
      throw new MienError('no-keychain', {}, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

const silent = (): MienError => new MienError('no-keychain', { reason: 'silent' })
