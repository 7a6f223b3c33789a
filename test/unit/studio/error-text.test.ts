import { describe, expect, it } from 'vitest'
import { errorSentence, errorText } from '@shared/i18n/error-text.ts'
import { errorCodes, type ErrorCode, type ErrorDetails } from '@shared/mien-error.ts'

const everything: ErrorDetails = {
  name: 'clip.mov',
  host: 'api.example',
  seconds: 10,
  needBytes: 2.1e9,
  freeBytes: 340e6,
  codec: 'hvc1.1.6',
  pixels: 41,
  message: 'No luck today.',
  status: 503,
  lastFour: '8f2c',
  service: 'Agency',
  folder: 'Movies',
  found: 'text',
}

describe.each(errorCodes)('%s', (code) => {
  it.each([
    ['without', {}],
    ['with', everything],
    ['with empty', { name: '', host: null, service: '', message: '  ', seconds: null, codec: '' }],
  ])('reads well %s details', (_which, details) => {
    const { title, body } = errorText({ code, details })
    expect(title).toMatch(/^[\p{Lu}“]/u)
    expect(title).not.toMatch(/[.!]$/)
    expect(body).toMatch(/^(?:[\p{Lu}“\d]|api\.example).*[.)]$/su)
    expect(`${title} ${body}`).not.toMatch(/undefined|null|NaN|\{|\}|“”|oops|please|successfully| {2}|!/i)
    expect(`${title} ${body}`).not.toMatch(/\b(task|asset|token|job|inference)\b/i)
  })
})

it.each<[ErrorCode, ErrorDetails, string]>([
  [
    'no-face-in-picture',
    {},
    'No face found in this picture. Use one where the face is turned to the camera and at least 80 pixels wide.',
  ],
  [
    'not-a-video',
    { name: 'notes.mp4', found: 'text' },
    '“notes.mp4” is not a video. It is a text file with a video’s name. Use an MP4, MOV or WebM file.',
  ],
  [
    'file-empty',
    { name: 'clip.mov' },
    '“clip.mov” is empty. The copy may not be complete. Copy it again, then add it.',
  ],
  [
    'codec-unsupported',
    { codec: 'hevc' },
    'This video is HEVC. This computer cannot read HEVC. Export it as H.264 and add it again.',
  ],
  ['no-face-in-video', {}, 'No face in this video. Use one that shows the person.'],
  [
    'address-silent',
    { host: 'api.studio-cloud.example', seconds: 10 },
    'The address does not answer. api.studio-cloud.example was silent for 10 s. Check the address, or try again.',
  ],
  [
    'key-refused',
    { service: 'Agency', lastFour: '8f2c' },
    'Agency no longer accepts the key ending in 8f2c. Its swaps wait until you replace the key.',
  ],
  [
    'disk-full',
    { folder: 'Movies', needBytes: 2.1e9, freeBytes: 340e6 },
    'The disk is full. 2.1 GB are needed in Movies, 340 MB are free. Free some space, then try again.',
  ],
  [
    'no-keychain',
    {},
    'No keychain on this computer. Mien does not write keys to disk in the open. Keep the key until you quit, or install a keyring.',
  ],
])('%s says what happened, why and what to do', (code, details, sentence) => {
  expect(errorSentence({ code, details })).toBe(sentence)
})

it('cuts a long message of a service', () => {
  expect(errorSentence({ code: 'task-failed', details: { message: 'x'.repeat(5000) } }).length).toBeLessThan(400)
})
