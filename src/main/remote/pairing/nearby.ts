/**
 * @file Servers on the local network, with multicast DNS over IPv4 (RFC 6762 and 6763). Opens a socket only during
 * `announce` and `findServers`. Anyone on the network can answer, so don't trust what is found.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer, type Packet } from 'dns-packet'
import { foundServerSchema, type FoundServer } from '@shared/service/profile.ts'

const serviceType = '_mien._tcp.local'
const group = '224.0.0.251'
const groupPort = 5353
/** How long others may remember a record, as RFC 6762 recommends. */
const ttl = 120
const queryEveryMs = 1000
/** Limits memory use if something sends a flood of answers. */
const maxServers = 100
const maxLabelBytes = 63

interface Announcement {
  /** The server's name, shown to the user. */
  name: string
  port: number
  /** Fingerprint of its certificate. */
  fingerprint: string
  /** The computer's IPv4 addresses in the networks to announce in. Other addresses are ignored. */
  addresses: readonly string[]
  /** For tests. */
  mdnsPort?: number
}

/**
 * Answers searches until `stop` is called.
 * @throws errors of the socket, for example if another program uses the port exclusively
 */
export async function announce({ addresses, mdnsPort, ...server }: Announcement): Promise<{ stop: () => void }> {
  const multicast = await openMulticast(addresses, mdnsPort, (packet) => {
    if (asksForServers(packet)) multicast.send((address) => answerOf(server, address))
  })
  return { stop: multicast.close }
}

/** Calls `onFound` once for each server that answers, until the signal. @throws errors of the socket */
export async function findServers(
  signal: AbortSignal,
  onFound: (server: FoundServer) => void,
  addresses = ownIPv4(),
  mdnsPort?: number,
): Promise<void> {
  const known = new Set<string>()
  const multicast = await openMulticast(addresses, mdnsPort, (packet, from) => {
    for (const server of serversIn(packet, from)) {
      const id = `${server.baseUrl} ${server.fingerprint}`
      if (known.has(id) || known.size >= maxServers) continue
      known.add(id)
      onFound(server)
    }
  })
  try {
    // Repeat: datagrams get lost, and servers may start during the search.
    while (!signal.aborted) {
      multicast.send(() => ({ type: 'query', questions: [{ type: 'PTR', name: serviceType }] }))
      await setTimeout(queryEveryMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    multicast.close()
  }
}

/** The servers in an answer. `address` is where the answer came from, and the host of their URLs. Pure. */
export function serversIn({ type, answers = [], additionals = [] }: Packet, address: string): FoundServer[] {
  if (type !== 'response') return []
  const records = [...answers, ...additionals]
  return answers.flatMap((pointer) => {
    if (pointer.type !== 'PTR' || !same(pointer.name, serviceType)) return []
    const own = records.filter(({ name }) => same(name, pointer.data))
    const port = own.find((each) => each.type === 'SRV')?.data.port
    const texts = own.flatMap((each) => (each.type === 'TXT' ? each.data : [])).map(String)
    const found = foundServerSchema.safeParse({
      name: pointer.data.slice(0, -serviceType.length - 1).replaceAll(/\p{C}/gu, ''),
      baseUrl: `https://${address}:${String(port)}`,
      fingerprint: texts.find((text) => text.startsWith('fingerprint='))?.slice('fingerprint='.length),
    })
    return found.success ? [found.data] : []
  })
}

const asksForServers = ({ type, questions = [] }: Packet): boolean =>
  type === 'query' && questions.some((each) => each.type === 'PTR' && same(each.name, serviceType))

function answerOf({ name, port, fingerprint }: Omit<Announcement, 'addresses'>, address: string): Packet {
  const label = labelOf(name)
  const service = `${label}.${serviceType}`
  // The operating system already announces the computer's host name, so use another one.
  const target = `${labelOf(`mien-${String(port)}-${label}`)}.local`
  return {
    type: 'response',
    flags: AUTHORITATIVE_ANSWER,
    answers: [{ type: 'PTR', name: serviceType, ttl, data: service }],
    additionals: [
      { type: 'SRV', name: service, ttl, data: { port, target } },
      { type: 'TXT', name: service, ttl, data: [`fingerprint=${fingerprint}`] },
      { type: 'A', name: target, ttl, data: address },
    ] satisfies Answer[],
  }
}

/** Replaces dots, because they separate labels. */
function labelOf(name: string): string {
  const bytes = new TextEncoder().encode(name.replaceAll('.', '-')).subarray(0, maxLabelBytes)
  // With `stream`, a cut-off character is left out.
  return new TextDecoder().decode(bytes, { stream: true })
}

interface Multicast {
  /** Sends a packet in each network, one after the other. Failures are ignored, because queries are repeated. */
  send: (packetFor: (address: string) => Packet) => void
  close: () => void
}

async function openMulticast(
  addresses: readonly string[],
  port = groupPort,
  onPacket: (packet: Packet, from: string) => void,
): Promise<Multicast> {
  // The operating system's mDNS service may use this port too.
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.on('message', (message, { address }) => {
    const packet = decoded(message)
    if (packet) onPacket(packet, address)
  })
  socket.bind(port)
  await once(socket, 'listening')
  socket.on('error', () => undefined)
  socket.setMulticastTTL(255)
  const joined = addresses.filter((address) => {
    try {
      socket.addMembership(group, address)
      return true
    } catch {
      return false // a network without multicast
    }
  })
  let isOpen = true
  let sending = Promise.resolve()
  const sendFrom = (address: string, packet: Packet): Promise<void> =>
    new Promise((resolve) => {
      if (!isOpen) {
        resolve()
        return
      }
      socket.setMulticastInterface(address)
      socket.send(encode(packet), port, group, () => {
        resolve()
      })
    })
  return {
    send: (packetFor) => {
      for (const address of joined)
        sending = sending.then(() => sendFrom(address, packetFor(address))).catch(() => undefined)
    },
    close: () => {
      isOpen = false
      socket.close()
    },
  }
}

function decoded(message: Buffer): Packet | null {
  try {
    return decode(message)
  } catch {
    return null
  }
}

const ownIPv4 = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => address)

/** DNS names are case-insensitive. */
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
