import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { socketUses } from '../fixtures/socket-watch.ts'

const dir = mkdtempSync(join(tmpdir(), 'mien-recording-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** `kind to` of each use but opened sockets. */
function usesOf(...lines: string[]): string[] {
  const log = join(dir, 'log')
  writeFileSync(log, `${lines.join('\n')}\n`)
  return socketUses(log)
    .filter(({ kind }) => kind !== 'open')
    .map(({ pid, kind, to }) => `${String(pid)} ${kind} ${to}`)
}

const thread = '10 clone3({flags=CLONE_VM|CLONE_THREAD} => {parent_tid=[11]}, 88) = 11'
const route = '{sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = 0'

it('a datagram socket reaches an address when it sends, not when it is connected', () => {
  const open = ['10 socket(AF_INET6, SOCK_DGRAM, IPPROTO_IP) = 20', `10 connect(20, ${route}`]
  expect(usesOf(...open)).toEqual([])
  expect(usesOf(...open, '10 sendto(20, ""..., 4, 0, NULL, 0) = 4')).toEqual(['10 send [2001:db8::1]:443'])
})

it('a number that is used again while another thread still closes it is the new socket', () => {
  const race = [
    thread,
    '11 close(20 <unfinished ...>',
    '10 socket(AF_INET6, SOCK_DGRAM, IPPROTO_IP) = 20',
    '11 <... close resumed>) = 0',
    `10 connect(20, ${route}`,
  ]
  expect(usesOf(...race)).toEqual([])
  expect(usesOf(...race, '10 sendto(20, ""..., 4, 0, NULL, 0) = 4')).toEqual(['10 send [2001:db8::1]:443'])
})

it('a thread in a sandbox belongs to its process, and a call that never ended counts', () => {
  expect(
    usesOf(
      "10 clone(child_stack=0x1, flags=CLONE_VM|CLONE_THREAD) = 3 /* 11 in strace's PID NS */",
      '11 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 20',
      '11 connect(20, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("192.0.2.1")}, 16 <unfinished ...>',
    ),
  ).toEqual(['10 connect 192.0.2.1:80'])
})
