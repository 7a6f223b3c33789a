import { expect, it } from 'vitest'
import type { ErrorBody } from '@shared/errors.ts'
import { notesOf } from '@shared/i18n/notes.ts'
import type { Task } from '@shared/tasks/task.ts'
import { face, makeTask, video } from '../../fixtures/tasks.ts'
import { swap } from '../../fixtures/fake-tasks.ts'

const { result } = swap('a', 0)
const [one] = face.faces
const two = one ? [one, one] : []
/** A face so wide, in pixels. */
const wide = (...widths: number[]) =>
  widths.map((width) => ({ oval: [], points: [], box: { x: 0, y: 0, width, height: 9 } }))
const soft =
  'The face is 90 pixels wide in the picture, and 361 where it goes. The result may look soft. A larger picture gives a better result.'

/** A swap that left out a second picture. */
const unused = (name: string, error: ErrorBody): Partial<Task> => ({
  pictures: [{ ...face, name }],
  result: result && { ...result, oddPictures: [{ face: 0, picture: 1, error }] },
})

it.each([
  ['nothing where all is plain', {}, []],
  [
    'several faces in the picture',
    { face: { ...face, faces: two } },
    ['The picture shows 2 faces. The largest is used.'],
  ],
  [
    'a face that could be better',
    { face: { ...face, flaws: ['turned' as const, 'covered' as const] } },
    [
      'The face in the picture is turned to the side. A face that looks at the camera gives a better result.',
      'Something covers part of the face in the picture and may show in the video. A clear face gives a better result.',
    ],
  ],
  [
    'a face that is more than four times as wide in the video',
    { face: { ...face, faces: wide(90.2) }, video: { ...video, faces: wide(360.6) } },
    [soft],
  ],
  [
    'nothing where it is just four times as wide',
    { face: { ...face, faces: wide(90) }, video: { ...video, faces: wide(360) } },
    [],
  ],
  [
    'nothing where another photo is large enough',
    {
      face: { ...face, faces: wide(90) },
      pictures: [{ ...face, faces: wide(120) }],
      video: { ...video, faces: wide(361) },
    },
    [],
  ],
  [
    'several people in the video',
    { video: { ...video, faces: two }, peopleIds: ['a', 'b', 'c'] },
    ['The video shows 3 people. The largest face is swapped. The others stay as they are.'],
  ],
  [
    'several people in a picture',
    { video: { ...video, kind: 'picture' as const, faces: two } },
    ['The picture shows 2 people. The largest face is swapped. The others stay as they are.'],
  ],
  [
    'no people who stay where people were chosen',
    {
      video: { ...video, faces: two },
      cast: [{ personId: 'p1', personName: null, personFaceId: 'a', face, pictures: [] }],
    },
    [],
  ],
  [
    'a photo of somebody else',
    unused('other.jpg', { code: 'picture-other-person', details: {} }),
    ['“other.jpg” shows somebody else, so it wasn’t used.'],
  ],
  [
    'a photo of a covered face',
    unused('hand.jpg', { code: 'face-covered', details: { part: 'most' } }),
    [
      '“hand.jpg” wasn’t used. The face in this picture is covered. At least half of it is hidden. Use one where the whole face is visible.',
    ],
  ],
  [
    'sound that cannot be kept',
    { video: { ...video, audioCodec: 'alac', lostSound: ['alac'] } },
    ['The sound is dropped because MP4 doesn’t support ALAC. To keep it, export the video with AAC sound.'],
  ],
  [
    'a further sound track that cannot be kept',
    { result: result && { ...result, lostSound: ['alac'] } },
    ['Another sound track is dropped because MP4 doesn’t support ALAC.'],
  ],
  [
    "a graphics chip's encoder that failed",
    { result: result && { ...result, fellBack: 'failed' as const } },
    ['The graphics chip’s encoder failed, so the processor was used instead.'],
  ],
  [
    'a video that is none for the graphics chip',
    { result: result && { ...result, fellBack: 'refused' as const } },
    ['The graphics chip’s encoder doesn’t support this video, so the processor was used instead.'],
  ],
  [
    'damaged frames',
    {
      result: result && {
        ...result,
        quality: [
          { kind: 'damaged' as const, frames: 2 },
          { kind: 'swapped' as const, frames: 9 },
        ],
      },
    },
    ['2 frames of the video are damaged. The previous frame is shown instead.'],
  ],
])('tells of %s', (_what, patch, sentences) => expect(notesOf(makeTask(patch))).toEqual(sentences))
