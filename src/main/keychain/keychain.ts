/**
 * @file The system's keychain behind one class (keytar: Keychain on macOS, Credential Manager on
 * Windows, Secret Service on Linux). Without one every call says `no-keychain`; nothing falls back
 * to a file.
 */
import { MienError } from '@shared/errors.ts'

type Keytar = typeof import('keytar')

const serviceName = 'Mien'
/** How long the end of the process waits for a keyring. */
const settleMs = 3000
/** A keyring that asks the user to unlock it may take this long; one that hangs is as good as none. */
const patienceMs = 30_000

export class Keychain {
  private keytar: Promise<Keytar> | null = null
  private readonly asked = new Set<Promise<unknown>>()
  private readonly load: () => Promise<Keytar>
  /** Entries of two installs (or data folders) on one computer stay apart by this. */
  private readonly install: string

  constructor(install: string, load: () => Promise<Keytar> = async () => (await import('keytar')).default) {
    this.install = install
    this.load = load
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

  /** Waits for what was asked: an answer that comes while the process ends makes keytar abort it. */
  async settled(): Promise<void> {
    const patience = new Promise((resolve) => setTimeout(resolve, settleMs).unref())
    await Promise.race([Promise.allSettled(this.asked), patience])
  }

  private account(name: string): string {
    return `${name}@${this.install}`
  }

  private async use<T>(work: (keytar: Keytar) => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    try {
      this.keytar ??= this.load()
      const keytar = await this.keytar
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new Error('The keychain does not answer.'))
        }, patienceMs)
      })
      const answer = work(keytar)
      this.asked.add(answer)
      const forget = (): void => void this.asked.delete(answer)
      answer.then(forget, forget)
      return await Promise.race([answer, late])
    } catch (error) {
      // The library under it says too much (addresses of buses, paths); its text stays a cause, for the log.
      throw new MienError('no-keychain', {}, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
