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
  ['service-unreachable', { host: 'cdn.example', isLost: true }, 'The connection to cdn.example was lost'],
  ['result-unreadable', { service: 'Agency', reason: 'no-address' }, 'Agency says that the swap is finished, but'],
  ['result-unreadable', { host: 'cdn.example', type: 'text/html' }, 'cdn.example sent a web page or a message instead'],
  ['picture-unreadable', { name: 'IMG_1.heic', kind: 'HEIC' }, '“IMG_1.heic” is HEIC, which isn’t supported. iPhones'],
  ['picture-unreadable', { name: 'a.jpg', kind: 'cut-off' }, '“a.jpg” is damaged. It can’t be read to the end.'],
  ['picture-unreadable', { name: 'a.jpg', kind: 'video' }, '“a.jpg” is a video, not a picture. Add videos on the'],
  ['picture-too-large', { name: 'a.jpg', megapixels: 100, limit: 67 }, 'It has 100 megapixels. The limit is 67.'],
  ['face-turned-away', { degrees: 62 }, 'It’s turned by about 62°, so not enough of it is visible.'],
  ['face-covered', { part: 'eyes' }, 'The face in this picture is covered. The eyes are hidden. Use one without'],
  ['face-covered', { name: 'a.jpg', part: 'mouth' }, 'The face in “a.jpg” is covered. The mouth is hidden. Use one'],
  ['face-covered', { part: 'most' }, 'At least half of it is hidden.'],
  ['face-covered', { part: 'unsure' }, 'It looks like somebody else’s, or too much of it is hidden to tell.'],
  ['codec-unsupported', { reason: 'range', codec: 'HDR10' }, 'This video is HDR (HDR10).'],
  ['codec-unsupported', { reason: 'size', width: 7680, height: 4320 }, '7680 × 4320. The limit is 4096 × 2304.'],
  ['codec-unsupported', { reason: 'size-changes', width: 640, height: 480 }, 'only swap videos that keep one size.'],
  ['codec-unsupported', { reason: 'no-start', codec: 'avc' }, 'Mien needs H.264 with IDR frames'],
  ['codec-unsupported', { name: 'old.avi', reason: 'container', container: 'AVI' }, '“old.avi” is AVI, which isn’t'],
  ['codec-unsupported', { codec: 'hevc' }, 'This computer can’t read HEVC.'],
  ['video-damaged', { reason: 'cut off', name: 'a.mp4' }, '“a.mp4” is damaged. It ends too early.'],
  ['video-damaged', { reason: 'no answer in time', name: 'a.mp4' }, 'Reading “a.mp4” took too long.'],
  ['picture-unreadable', { reason: 'no answer in time', name: 'a.jpg' }, 'Reading “a.jpg” took too long.'],
  ['video-damaged', { reason: 'no tracks' }, 'This video is damaged. It has no readable frames.'],
  ['video-damaged', { reason: 'no frame could be read' }, 'None of its frames can be read.'],
  ['not-a-video', { name: 'notes.mp4', found: 'text' }, 'It’s a text file with a video extension. Use an MP4'],
  ['not-a-video', { name: 'media.sh', found: 'text' }, 'It’s a text file. Use an MP4'],
  ['file-is-folder', { name: 'trip', pictures: 10, videos: 3 }, 'Pictures inside: 10. Videos inside: 3.'],
  ['no-face-in-video', {}, 'No face found in this video. Use one'],
  ['no-face-in-video', { parts: 1 }, 'No face found in this part of the video. Choose a part'],
  ['no-face-in-video', { pixels: 41 }, 'The face is at most 41 pixels wide.'],
  ['no-face-in-video', { degrees: 70 }, 'The face is always turned by 70° or more.'],
  ['no-face-in-video', { reason: 'turned' }, 'The face in this video is turned away. Not enough of it'],
  ['no-face-in-video', { reason: 'turned', kind: 'picture' }, 'The face in this picture is turned away. Not enough'],
  ['no-face-in-video', { reason: 'turned', parts: 1 }, 'The face in this part of the video is turned away. Choose'],
  ['address-silent', { host: 'api.example', seconds: 10 }, 'api.example didn’t respond within 10 s.'],
  ['key-refused', { service: 'Agency', lastFour: '8f2c' }, 'Agency doesn’t accept the key ending in 8f2c.'],
  ['disk-full', { needBytes: 145e3, freeBytes: 24e6 }, 'The disk is full. Free up some space, then try again.'],
  ['disk-full', { folder: 'Movies', needBytes: 2.1e9, freeBytes: 340e6 }, '2.1 GB in Movies, but only 340 MB is free'],
])('%s with %j says what is known', (code, details, words) => {
  expect(errorSentence({ code, details })).toContain(words)
})

it('cuts a long message of a service', () => {
  expect(errorSentence({ code: 'task-failed', details: { message: 'x'.repeat(5000) } }).length).toBeLessThan(400)
})
