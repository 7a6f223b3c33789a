/** What is said of a file that holds no video that can be read. */
import { expect, it, vi } from 'vitest'
import { openMedia } from '../../../src/renderer/engine/media/demux/media-input.ts'

/** Serves `head`, padded to 4 kB, as media:// does. */
function serve(head: string): void {
  const bytes = Buffer.alloc(4096)
  bytes.write(head, 'latin1')
  vi.stubGlobal('fetch', (_url: string, { method, headers }: { method?: string; headers?: Record<string, string> }) => {
    const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(headers?.['range'] ?? '') ?? []
    const body = method === 'HEAD' ? null : bytes.subarray(Number(from), Number(to) + 1)
    return Promise.resolve(new Response(body, { headers: { etag: 'one', 'content-length': String(bytes.length) } }))
  })
}

it.each([
  ['RIFF\0\0\0\0AVI LIST', { code: 'codec-unsupported', details: { reason: 'container', container: 'AVI' } }],
  ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', { code: 'codec-unsupported', details: { container: 'WMV' } }],
  ['FLV\x01', { code: 'codec-unsupported', details: { container: 'FLV' } }],
  ['DKIF\0\0\x20\0VP90', { code: 'codec-unsupported', details: { container: 'IVF' } }],
  ['nut/multimedia container\0', { code: 'codec-unsupported', details: { container: 'NUT' } }],
  ['YUV4MPEG2 W320 H240\nFRAME\n\x80', { code: 'codec-unsupported', details: { container: 'YUV4MPEG2' } }],
  ['\0\0\0\x01\x67\x42', { code: 'codec-unsupported', details: { container: 'raw H.264' } }],
  ['\0\0\x01\xba', { code: 'codec-unsupported', details: { container: 'MPEG-1 or MPEG-2' } }],
  ['%PDF-1.7', { code: 'not-a-video', details: { found: 'document', type: 'PDF' } }],
  ['\xff\xd8\xff\xe0', { code: 'not-a-video', details: { found: 'picture', type: 'JPEG' } }],
  ['\0\0\0\x18ftypheic', { code: 'not-a-video', details: { found: 'picture', type: 'HEIC' } }],
  ['\x01\x02\x03', { code: 'not-a-video', details: { found: null } }],
])('%j is named', async (head, error) => {
  serve(head)
  await expect(openMedia('media://item/x', new AbortController().signal)).rejects.toMatchObject(error)
})
