import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type Packet } from 'dns-packet'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FoundServer } from '@shared/service/profile.ts'
import { announce, findServers, serversIn } from '../../../../../src/main/remote/pairing/nearby.ts'

const fingerprint = `sha256/${'A'.repeat(43)}=`
const loopback = ['127.0.0.1']

/** A free one, so that nothing else takes part. */
let mdnsPort: number

beforeEach(async () => {
  const socket = await boundSocket(0)
  mdnsPort = socket.address().port
  socket.close()
})

async function boundSocket(port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.bind(port)
  await once(socket, 'listening')
  return socket
}

/** The second address is none of this computer. */
const announced = (name: string, port: number) =>
  announce({ name, port, fingerprint, addresses: [...loopback, '192.0.2.77'], mdnsPort })

/** Searches until `count` servers were found. */
async function find(count: number, onFirst?: () => Promise<void>): Promise<FoundServer[]> {
  const enough = new AbortController()
  const found: FoundServer[] = []
  let first: Promise<void> | undefined
  const onFound = (server: FoundServer): void => {
    found.push(server)
    first ??= onFirst?.()
    if (found.length === count) enough.abort()
  }
  await findServers(enough.signal, onFound, loopback, mdnsPort)
  await first
  return found
}

describe('a search in the local network', () => {
  it('finds each announced server once, with its address and certificate', async () => {
    const servers = [await announced('Studio 2.OG', 7433), await announced('名'.repeat(40), 7434)]
    const found = await find(2)
    for (const { stop } of servers) stop()
    expect(found.toSorted((a, b) => a.baseUrl.localeCompare(b.baseUrl))).toEqual([
      { name: 'Studio 2-OG', baseUrl: 'https://127.0.0.1:7433', fingerprint },
      { name: '名'.repeat(21), baseUrl: 'https://127.0.0.1:7434', fingerprint },
    ])
  })

  it('goes on after packets that nobody can read, and finds a server that starts later', async () => {
    const servers = [await announced('First', 1)]
    const other = await boundSocket(0)
    other.setMulticastInterface('127.0.0.1')
    const found = await find(2, async () => {
      for (const bytes of [Buffer.alloc(0), Buffer.alloc(12, 0xff), Buffer.from('not a packet, but long enough')])
        await new Promise((resolve) => other.send(bytes, mdnsPort, '224.0.0.251', resolve))
      servers.push(await announced('Second', 2))
    })
    other.close()
    for (const { stop } of servers) stop()
    expect(found.map(({ name }) => name)).toEqual(['First', 'Second'])
  })

  it('is answered as other programs expect it, and nothing else is answered', async () => {
    const server = await announced('Studio', 7433)
    const other = await boundSocket(mdnsPort)
    other.addMembership('224.0.0.251', '127.0.0.1')
    other.setMulticastInterface('127.0.0.1')
    const answers: Packet[] = []
    const heard = new Promise<void>((resolve) => {
      other.on('message', (message) => {
        const packet = decode(message)
        if (packet.type !== 'response') return
        answers.push(packet)
        if (packet.answers?.length === 1) resolve()
      })
    })
    const ask = (packet: Packet): Promise<void> =>
      new Promise((resolve) => other.send(encode(packet), mdnsPort, '224.0.0.251', () => resolve()))
    await ask({ type: 'query', questions: [{ type: 'PTR', name: '_http._tcp.local' }] })
    await ask({ type: 'query', questions: [{ type: 'A', name: '_mien._tcp.local' }] })
    await ask({ type: 'query', questions: [{ type: 'PTR', name: '_MIEN._tcp.LOCAL' }] })
    await heard
    other.close()
    server.stop()
    const service = 'Studio._mien._tcp.local'
    const target = 'mien-7433-Studio.local'
    expect(answers).toMatchObject([
      {
        flag_aa: true,
        answers: [{ type: 'PTR', name: '_mien._tcp.local', data: service }],
        additionals: [
          { type: 'SRV', name: service, data: { port: 7433, target } },
          { type: 'TXT', name: service, data: [Buffer.from(`fingerprint=${fingerprint}`)] },
          { type: 'A', name: target, data: '127.0.0.1' },
        ],
      },
    ])
  })

  it('rejects if another program keeps the port to itself', async () => {
    const other = createSocket('udp4')
    other.bind(mdnsPort)
    await once(other, 'listening')
    await expect(findServers(AbortSignal.timeout(1), () => undefined, loopback, mdnsPort)).rejects.toThrow('EADDRINUSE')
    other.close()
  })
})

const service = 'Studio._mien._tcp.local'
const pointer = { type: 'PTR', name: '_mien._tcp.local', data: service } as const
const place = { type: 'SRV', name: service, data: { port: 7433, target: 'studio.local' } } as const
const text = (data: string) => ({ type: 'TXT' as const, name: service, data: [data] })
const pin = text(`fingerprint=${fingerprint}`)

describe('an answer from the network', () => {
  /** As it arrives. */
  const read = (packet: Packet): FoundServer[] => serversIn(decode(encode(packet)), '10.0.0.5')

  it('is a server at the address that it came from', () => {
    const expected = [{ name: 'Studio', baseUrl: 'https://10.0.0.5:7433', fingerprint }]
    expect(read({ type: 'response', answers: [pointer], additionals: [place, pin] })).toEqual(expected)
    expect(read({ type: 'response', answers: [pointer, place, pin] })).toEqual(expected)
  })

  const other = { ...pointer, name: '_http._tcp.local' }
  const unnamed = pointer.name
  it.each<[string, ...(Packet['answers'] & object)]>([
    ['without a port', pointer, pin],
    ['without a fingerprint', pointer, place],
    ['with a damaged fingerprint', pointer, place, text('fingerprint=sha256/AA')],
    ['about another service', other, place, pin],
    ['about nothing'],
    ['with records of another server', { ...pointer, data: `B.${pointer.name}` }, place, pin],
    ['whose name is empty', { ...pointer, data: unnamed }, { ...place, name: unnamed }, { ...pin, name: unnamed }],
  ])('%s is ignored', (_which, ...answers) => expect(read({ type: 'response', answers })).toEqual([]))

  it('of a query is ignored', () => {
    expect(read({ type: 'query', answers: [pointer], additionals: [place, pin] })).toEqual([])
  })

  it('shows no control characters, and no more than a name', () => {
    const named = (name: string): string | undefined => {
      const data = `${name}._mien._tcp.local`
      const records = [
        { ...place, name: data },
        { ...pin, name: data },
      ]
      return serversIn({ type: 'response', answers: [{ ...pointer, data }, ...records] }, '10.0.0.5')[0]?.name
    }
    expect(named('a\u202Eb\nc\u0000')).toBe('abc')
    expect(named('a'.repeat(81))).toBeUndefined()
  })
})
