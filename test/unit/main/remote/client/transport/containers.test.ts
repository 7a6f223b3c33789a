import { describe, expect, it } from 'vitest'
import { checkContainer, containerOf } from '../../../../../../src/main/remote/client/transport/download.ts'
import { ensureMayLead, isPrivateHost } from '../../../../../../src/main/remote/client/transport/download-request.ts'
import { thrownBy } from '../../../../../fixtures/thrown-by.ts'

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))
const check = (content: Uint8Array, wanted: 'video' | 'picture') =>
  checkContainer((at, length) => Promise.resolve(content.subarray(at, at + length)), content.length, wanted)

describe('what a file is', () => {
  it.each([
    ['\0\0\0\x18ftypisom', 'mp4'],
    ['\0\0\0\x14ftypqt  ', 'mov'],
    ['\0\0\0\x08moov', 'mov'],
    ['\0\0\0\x1cftypavif', 'avif'],
    ['\x1a\x45\xdf\xa3....webm', 'webm'],
    ['\x1a\x45\xdf\xa3....matroska', 'mkv'],
    ['RIFF....AVI LIST', 'avi'],
    ['RIFF....WEBPVP8 ', 'webp'],
    ['\xff\xd8\xff\xe0', 'jpg'],
    ['\x89PNG\r\n', 'png'],
    ['GIF89a', 'gif'],
    ['<!doctype html>', null],
    ['{"message":"gone"}', null],
    ['#!/bin/sh', null],
    ['MZ\x90\0', null],
    ['', null],
  ])('%j is %s', (head, container) => expect(containerOf(bytes(head))).toBe(container))

  const box = (length: number, name: string, body = ''): string =>
    String.fromCharCode((length >>> 24) & 255, (length >>> 16) & 255, (length >>> 8) & 255, length & 255) + name + body

  it('lets a whole film pass, also one whose last part has no length or a long one', async () => {
    const start = box(16, 'ftyp', 'isom\0\0\0\0')
    await expect(check(bytes(start + box(12, 'moov', 'abcd')), 'video')).resolves.toBe('mp4')
    await expect(check(bytes(start + box(0, 'mdat', 'abcdefgh')), 'video')).resolves.toBe('mp4')
    await expect(check(bytes(`${start}${box(1, 'mdat')}\0\0\0\0\0\0\0\x14abcd`), 'video')).resolves.toBe('mp4')
  })

  it.each([
    ['cut-off', box(16, 'ftyp', 'isom\0\0\0\0') + box(1000, 'mdat', 'abcd')],
    ['cut-off', `${box(16, 'ftyp', 'isom\0\0\0\0')}\0\0`],
    ['cut-off', box(16, 'ftyp', 'isom\0\0\0\0') + box(2, 'mdat', 'abcdefgh')],
    ['page', '<html>'],
    ['page', '\n  {"error": 1}'],
    ['not-a-video', 'some words'],
    ['not-a-video', '\x89PNG\r\n\x1a\n'],
  ])('refuses as %s: %j', async (reason, content) => {
    const error = { code: 'result-unreadable', details: { reason } }
    await expect(check(bytes(content), 'video')).rejects.toMatchObject(error)
  })

  it('takes a picture for a picture only', async () => {
    await expect(check(bytes('\xff\xd8\xff\xe0'), 'picture')).resolves.toBe('jpg')
    const error = { details: { reason: 'not-a-picture' } }
    await expect(check(bytes('\0\0\0\x08moov'), 'picture')).rejects.toMatchObject(error)
  })
})

describe('where a service may lead', () => {
  it.each([
    ['localhost', true],
    ['printer.local', true],
    ['127.8.9.1', true],
    ['10.1.2.3', true],
    ['172.16.0.1', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['169.254.169.254', true],
    ['100.64.0.1', true],
    ['0.0.0.0', true],
    ['8.8.8.8', false],
    ['[::1]', true],
    ['[fd00::1]', true],
    ['[fe80::1]', true],
    ['[::ffff:7f00:1]', true],
    ['[::ffff:808:808]', false],
    ['[2606:4700::1111]', false],
    ['example.com', false],
    ['10.1.2.3.example.com', false],
  ])('%s is private: %s', (host, home) => expect(isPrivateHost(host)).toBe(home))

  const from = new URL('https://api.example.com')
  it.each([
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['data:text/html,hi', 'scheme'],
    ['https://me:secret@cdn.example.com/x', 'credentials'],
    ['http://127.0.0.1:8080/admin', 'private'],
    ['http://2130706433/', 'private'],
    ['http://0x7f.1/', 'private'],
    ['http://169.254.169.254/latest/meta-data', 'private'],
  ])('%s is refused: %s', (url, reason) => {
    const thrown = thrownBy(() => ensureMayLead(from, new URL(url)))
    expect(thrown).toMatchObject({ code: 'address-refused', details: { reason } })
  })

  it('a private service may lead to another in it', () => {
    expect(() => ensureMayLead(new URL('http://192.168.1.5'), new URL('http://192.168.1.6/x.mp4'))).not.toThrow()
  })
})
