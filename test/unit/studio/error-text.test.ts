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
    'picture-unreadable',
    { name: 'IMG_1.heic', kind: 'HEIC' },
    '“IMG_1.heic” can’t be read: it’s HEIC. Mien can’t read HEIC. Open it in a program that can, save it as JPEG or PNG, and add that one.',
  ],
  [
    'picture-unreadable',
    { name: 'a.jpg', kind: 'cut-off' },
    '“a.jpg” is damaged. It begins as a picture but cannot be read to the end. Copy or download it again, then add it.',
  ],
  [
    'picture-unreadable',
    { name: 'a.jpg', kind: 'video' },
    '“a.jpg” is a video, not a picture. A video goes into the well on the right. Use a JPEG, PNG or WebP picture here.',
  ],
  [
    'picture-too-large',
    { name: 'a.jpg', megapixels: 100, limit: 67 },
    '“a.jpg” is too large. It has 100 megapixels; up to 67 can be read. Save a smaller copy and add that one.',
  ],
  [
    'face-turned-away',
    { degrees: 62 },
    'The face in this picture is turned away. It is turned by about 62°, so too little of it can be seen. Use one where it looks at the camera.',
  ],
  [
    'face-covered',
    { part: 'eyes' },
    'The face in this picture is covered. The eyes are hidden. Use one without sunglasses, hair or a hand before them.',
  ],
  [
    'face-covered',
    { part: 'mouth' },
    'The face in this picture is covered. The mouth is hidden. Use one without a mask, a hand or a microphone before it.',
  ],
  [
    'face-covered',
    { part: 'most' },
    'The face in this picture is covered. Half of it or more is hidden. Use one where the whole face can be seen.',
  ],
  [
    'file-unreachable',
    { name: 'a.mp4' },
    '“a.mp4” cannot be reached any more. Its drive or network folder went away while it was read. Connect it again, then try again; what is done is kept.',
  ],
  [
    'file-changed',
    { name: 'a.mp4' },
    '“a.mp4” changed while it was read. Another program is writing it, or another file took its place. Nothing of it was kept. Wait until it is finished, then try again.',
  ],
  [
    'codec-unsupported',
    { reason: 'range', codec: 'HDR10' },
    'This video is in high dynamic range (HDR10). Its light goes beyond what Mien can make, and the colours would come out wrong. Export it in standard range (SDR) as H.264 and add it again.',
  ],
  [
    'codec-unsupported',
    { reason: 'size', codec: 'avc', width: 7680, height: 4320 },
    'This video is too large: 7680 × 4320. Up to 4096 × 2304 can be swapped. Export it smaller and add it again.',
  ],
  [
    'codec-unsupported',
    { reason: 'size-changes', width: 640, height: 480 },
    'This video changes its size in the middle. Mien can swap videos of one size only. Export it at one size and add it again.',
  ],
  [
    'video-damaged',
    { reason: 'cut off', name: 'a.mp4' },
    '“a.mp4” is damaged. It ends before it should: a copy or download broke off. Fetch it again, then add it.',
  ],
  ...(['picture-unreadable', 'video-damaged'] as const).map((code): [ErrorCode, ErrorDetails, string] => [
    code,
    { reason: 'no answer in time', name: 'a.mp4' },
    '“a.mp4” could not be read in time. It may be damaged, or this computer has too much to do at the moment. Add it again, or use another.',
  ]),
  [
    'video-damaged',
    { reason: 'no tracks' },
    'This video is damaged. It holds no pictures that can be found: a copy, a download or a recording broke off. Copy it again, or record it again.',
  ],
  [
    'video-damaged',
    { reason: 'no frame could be read' },
    'This video is damaged. None of its pictures can be read. Copy or export it again, then add it.',
  ],
  [
    'not-a-video',
    { name: 'notes.mp4', found: 'text' },
    '“notes.mp4” is not a video. It’s a text file with a video’s name. Use an MP4, MOV, MKV or WebM file.',
  ],
  [
    'not-a-video',
    { name: 'media.sh', found: 'text' },
    '“media.sh” is not a video. It’s a text file. Use an MP4, MOV, MKV or WebM file.',
  ],
  [
    'codec-unsupported',
    { name: 'old.avi', reason: 'container', container: 'AVI' },
    '“old.avi” can’t be read: it’s AVI video. Mien can’t read AVI. Convert it to MP4, MOV, MKV or WebM, and add that one.',
  ],
  [
    'file-is-folder',
    { name: 'trip', pictures: 10, videos: 3 },
    '“trip” is a folder. Directly in it: pictures: 10, videos: 3. Add the picture and the video that you want.',
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
  ['no-face-in-video', {}, 'No face found in this video. Use one that shows the person.'],
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
    { needBytes: 145e3, freeBytes: 24e6 },
    'The disk is full. Free some space, then try again. Nothing is lost: a swap resumes from where it stopped.',
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
