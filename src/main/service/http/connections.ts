/** @file Limits connections without a key, so that other programs can't use up the file descriptors. */
import type { Socket } from 'node:net'

export class Connections {
  /** Connections without a key, oldest first. */
  private readonly strangers = new Set<Socket>()

  constructor(private readonly max: number) {}

  /** Registers a connection; above the limit, closes the oldest one without a key. */
  opened(socket: Socket): void {
    this.strangers.add(socket)
    socket.once('close', () => this.strangers.delete(socket))
    const [oldest] = this.strangers
    if (this.strangers.size > this.max) oldest?.destroy()
  }

  /** Exempts a connection from the limit after a valid key. */
  trust(socket: Socket): void {
    this.strangers.delete(socket)
  }
}
