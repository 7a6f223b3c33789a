/** @file Limits connections without a key, so that other programs can't use up the file descriptors. */
import type { Socket } from 'node:net'

export class Connections {
  /** Connections without a key, oldest first, by their address: with TLS, a request has another socket object. */
  private readonly strangers = new Map<string, Socket>()

  constructor(private readonly max: number) {}

  /** Registers a connection; above the limit, closes the oldest one without a key. */
  opened(socket: Socket): void {
    const id = idOf(socket)
    this.strangers.set(id, socket)
    socket.once('close', () => this.strangers.delete(id))
    const [oldest] = this.strangers.values()
    if (this.strangers.size > this.max) oldest?.destroy()
  }

  /** Exempts a connection from the limit after a valid key. */
  trust(socket: Socket): void {
    this.strangers.delete(idOf(socket))
  }
}

const idOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${String(remotePort)}`
