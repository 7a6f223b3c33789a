/** @file Bounds the connections of programs without a key, so that they can't use up the file descriptors. */
import type { Socket } from 'node:net'

export class Connections {
  /** Connections on which no key was shown, the oldest first. */
  private readonly strangers = new Set<Socket>()

  constructor(private readonly max: number) {}

  /** A new connection; one too many closes the oldest that showed no key. */
  opened(socket: Socket): void {
    this.strangers.add(socket)
    socket.once('close', () => this.strangers.delete(socket))
    const [oldest] = this.strangers
    if (this.strangers.size > this.max) oldest?.destroy()
  }

  /** A valid key came on it: it stays as long as it's used. */
  trust(socket: Socket): void {
    this.strangers.delete(socket)
  }
}
