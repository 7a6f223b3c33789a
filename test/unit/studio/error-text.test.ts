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
    'service-unreachable',
    { service: 'Agency', host: 'cdn.example', isLost: true },
    'Agency can’t be reached. The connection to cdn.example was lost before everything had arrived. Check your connection, then try again.',
  ],
  [
    'result-unreadable',
    { service: 'Agency', reason: 'no-address' },
    'There’s no result. Agency says that the swap is finished, but sent no address of the result. Try again in a few minutes. If that doesn’t help, contact the service.',
  ],
  [
    'result-unreadable',
    { service: 'Agency', host: 'cdn.example', type: 'text/html' },
    'The result can’t be read. cdn.example sent a web page or a message instead of the file. Its link may have expired, or need a sign-in. Try again in a few minutes. If that doesn’t help, contact the service.',
  ],
  [
    'no-face-in-picture',
    {},
    'No face found in this picture. Use one where the face looks at the camera and is at least 80 pixels wide.',
  ],
  [
    'picture-unreadable',
    { name: 'IMG_1.heic', kind: 'HEIC' },
    '“IMG_1.heic” is HEIC, which isn’t supported. iPhones save photos as HEIC. To get a JPEG, share the photo by email from the phone, or open it in Photos or Preview on a computer and export it as JPEG. For new photos, set the phone’s camera to Most Compatible.',
  ],
  [
    'picture-unreadable',
    { name: 'a.jpg', kind: 'cut-off' },
    '“a.jpg” is damaged. It can’t be read to the end. Copy or download it again, then add it.',
  ],
  [
    'picture-unreadable',
    { name: 'a.jpg', kind: 'video' },
    '“a.jpg” is a video, not a picture. Add videos on the right. Use a JPEG, PNG or WebP picture here.',
  ],
  [
    'picture-too-large',
    { name: 'a.jpg', megapixels: 100, limit: 67 },
    '“a.jpg” is too large. It has 100 megapixels. The limit is 67. Save a smaller copy, then add it.',
  ],
  [
    'face-turned-away',
    { degrees: 62 },
    'The face in this picture is turned away. It’s turned by about 62°, so not enough of it is visible. Use one where it looks at the camera.',
  ],
  [
    'face-covered',
    { part: 'eyes' },
    'The face in this picture is covered. The eyes are hidden. Use one without sunglasses, hair or a hand over them.',
  ],
  [
    'face-covered',
    { name: 'a.jpg', part: 'mouth' },
    'The face in “a.jpg” is covered. The mouth is hidden. Use one without a mask, a hand or a microphone over it.',
  ],
  [
    'face-covered',
    { part: 'most' },
    'The face in this picture is covered. At least half of it is hidden. Use one where the whole face is visible.',
  ],
  [
    'face-covered',
    { part: 'unsure' },
    'The face in this picture is covered. It looks like somebody else’s, or too much of it is hidden to tell. Use one where the whole face is visible.',
  ],
  [
    'file-unreachable',
    { name: 'a.mp4' },
    '“a.mp4” is no longer available. Its drive or network folder was disconnected while Mien was reading it. Reconnect it, then try again. Work done so far is kept.',
  ],
  [
    'file-changed',
    { name: 'a.mp4' },
    '“a.mp4” changed while Mien was reading it. Another program may be writing to it, or it was replaced. Nothing was saved. Wait until it’s complete, then try again.',
  ],
  [
    'codec-unsupported',
    { reason: 'range', codec: 'HDR10' },
    'This video is HDR (HDR10). Mien can’t convert HDR colours accurately. Export it in standard range (SDR) as H.264, then add it again.',
  ],
  [
    'codec-unsupported',
    { reason: 'size', codec: 'avc', width: 7680, height: 4320 },
    'This video is too large: 7680 × 4320. The limit is 4096 × 2304. Export it at a smaller size, then add it again.',
  ],
  [
    'codec-unsupported',
    { reason: 'size-changes', width: 640, height: 480 },
    'This video’s size changes partway through. Mien can only swap videos that keep one size. Export it at one size, then add it again.',
  ],
  [
    'codec-unsupported',
    { reason: 'no-start', codec: 'avc' },
    'This video has no frame that Mien can begin at. Mien needs H.264 with IDR frames, and some broadcasts have none. Export it as H.264 again, then add it again.',
  ],
  [
    'video-damaged',
    { reason: 'cut off', name: 'a.mp4' },
    '“a.mp4” is damaged. It ends too early. A copy or download was probably interrupted. Copy or download it again, then add it.',
  ],
  ...(['picture-unreadable', 'video-damaged'] as const).map((code): [ErrorCode, ErrorDetails, string] => [
    code,
    { reason: 'no answer in time', name: 'a.mp4' },
    'Reading “a.mp4” took too long. It may be damaged, or this computer is busy. Add it again, or use another file.',
  ]),
  [
    'video-damaged',
    { reason: 'no tracks' },
    'This video is damaged. It has no readable frames. A copy, download or recording was probably interrupted. Copy or record it again, then add it.',
  ],
  [
    'video-damaged',
    { reason: 'no frame could be read' },
    'This video is damaged. None of its frames can be read. Copy or export it again, then add it.',
  ],
  [
    'not-a-video',
    { name: 'notes.mp4', found: 'text' },
    '“notes.mp4” isn’t a video. It’s a text file with a video extension. Use an MP4, MOV, MKV or WebM file.',
  ],
  [
    'not-a-video',
    { name: 'media.sh', found: 'text' },
    '“media.sh” isn’t a video. It’s a text file. Use an MP4, MOV, MKV or WebM file.',
  ],
  [
    'codec-unsupported',
    { name: 'old.avi', reason: 'container', container: 'AVI' },
    '“old.avi” is AVI, which isn’t supported. Convert the AVI file to MP4, MOV, MKV or WebM, then add it.',
  ],
  [
    'file-is-folder',
    { name: 'trip', pictures: 10, videos: 3 },
    '“trip” is a folder. Pictures inside: 10. Videos inside: 3. Add the picture and the video you want.',
  ],
  [
    'file-empty',
    { name: 'clip.mov' },
    '“clip.mov” is empty. It may not have been copied completely. Copy it again, then add it.',
  ],
  [
    'codec-unsupported',
    { codec: 'hevc' },
    'This video is HEVC. This computer can’t read HEVC. Export it as H.264, then add it again.',
  ],
  ['no-face-in-video', {}, 'No face found in this video. Use one that shows the person’s face.'],
  [
    'no-face-in-video',
    { parts: 1 },
    'No face found in this part of the video. Choose a part that shows the person’s face.',
  ],
  [
    'no-face-in-video',
    { pixels: 41 },
    'The face in this video is too small. The face is at most 41 pixels wide. Use one where it’s at least 80.',
  ],
  [
    'no-face-in-video',
    { degrees: 70 },
    'The face in this video is turned away. The face is always turned by 70° or more. Use one where it looks at the camera.',
  ],
  [
    'no-face-in-video',
    { reason: 'turned' },
    'The face in this video is turned away. Not enough of it is visible. Use one where the face looks at the camera.',
  ],
  [
    'no-face-in-video',
    { reason: 'turned', kind: 'picture' },
    'The face in this picture is turned away. Not enough of it is visible. Use one where the face looks at the camera.',
  ],
  [
    'no-face-in-video',
    { reason: 'turned', parts: 1 },
    'The face in this part of the video is turned away. Choose a part that shows the person’s face.',
  ],
  [
    'address-silent',
    { host: 'api.studio-cloud.example', seconds: 10 },
    'No response from this link. api.studio-cloud.example didn’t respond within 10 s. Check the link, or try again.',
  ],
  [
    'key-refused',
    { service: 'Agency', lastFour: '8f2c' },
    'Agency doesn’t accept the key ending in 8f2c. Its swaps wait until you replace the key.',
  ],
  [
    'disk-full',
    { needBytes: 145e3, freeBytes: 24e6 },
    'The disk is full. Free up some space, then try again. Swaps resume where they stopped.',
  ],
  [
    'disk-full',
    { folder: 'Movies', needBytes: 2.1e9, freeBytes: 340e6 },
    'The disk is full. Mien needs 2.1 GB in Movies, but only 340 MB is free. Free up some space, then try again.',
  ],
  [
    'no-keychain',
    {},
    'No keychain on this computer. Mien doesn’t store keys in plain text. Keep the key until you quit, or install a keyring.',
  ],
])('%s says what happened, why and what to do', (code, details, sentence) => {
  expect(errorSentence({ code, details })).toBe(sentence)
})

it('cuts a long message of a service', () => {
  expect(errorSentence({ code: 'task-failed', details: { message: 'x'.repeat(5000) } }).length).toBeLessThan(400)
})
