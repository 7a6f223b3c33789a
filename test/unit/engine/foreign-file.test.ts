/** What is said of a file that holds no video that can be read. */
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { jobFolder } from './job-folder.ts'
import { openItem } from './segments-of.ts'

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
  writeFileSync(jobFolder().path('x'), head.padEnd(4096, '\0'), 'latin1')
  await expect(openItem('x')).rejects.toMatchObject(error)
})
