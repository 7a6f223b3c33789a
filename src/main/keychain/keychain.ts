/**
 * @file The system's keychain behind one class (keytar: Keychain on macOS, Credential Manager on
 * Windows, Secret Service on Linux). Without one every call says `no-keychain`; nothing falls back
 * to a file. One that does not answer in time is `no-keychain` with the reason `silent`.
 */
import { MienError } from '@shared/errors.ts'

type Keytar = typeof import('keytar')

const serviceName = 'Mien'
/** How long the end of the process waits for a keyring. */
const settleMs = 3000
/** A keyring that asks the user to unlock it may take this long; one that hangs is as good as none. */
const patienceMs = 30_000

/** Questions that no keychain has answered yet. Each holds a thread of this process. */
const unanswered = new Set<Promise<unknown>>()

/** Whether this process waits for a keychain. While it does, it cannot end by itself: see cli/ending.ts. */
export const isKeychainStuck = (): boolean => unanswered.size > 0

export class Keychain {
  private isSilent = false
  private isClosed = false
  private last: Promise<unknown> = Promise.resolve()
  private keytar: Promise<Keytar> | null = null
  private readonly load: () => Promise<Keytar>
  /** Entries of two installs (or data folders) on one computer stay apart by this. */
  private readonly install: string
  private readonly waitMs: number

  constructor(
    install: string,
    load: () => Promise<Keytar> = async () => (await import('keytar')).default,
    waitMs = patienceMs,
  ) {
    this.install = install
    this.load = load
    this.waitMs = waitMs
  }

  /** Whether secrets can be kept on this computer now. Asks the real keychain. */
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

  /** Whether it did not answer in time, and still has not. */
  get silent(): boolean {
    return this.isSilent
  }

  /** Asks nothing more, and waits for what was asked: an answer that comes while the process ends makes keytar abort it. */
  async settled(): Promise<void> {
    this.isClosed = true
    const patience = new Promise((resolve) => setTimeout(resolve, settleMs).unref())
    await Promise.race([this.last.then(() => Promise.allSettled(unanswered)), patience])
  }

  private account(name: string): string {
    return `${name}@${this.install}`
  }

  /** One question after the other: each holds one of the few threads that files are read with, too. */
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
      // The library under it says too much (addresses of buses, paths); its text stays a cause, for the log.
      throw new MienError('no-keychain', {}, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

const silent = (): MienError => new MienError('no-keychain', { reason: 'silent' })
