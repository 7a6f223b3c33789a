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
const wide = (width: number) => [{ oval: [], points: [], box: { x: 0, y: 0, width, height: 9 } }]
/** A swap with faces so wide. */
const widths = (inPicture: number, inVideo: number, ...inOthers: number[]): Partial<Task> => ({
  face: { ...face, faces: wide(inPicture) },
  pictures: inOthers.map((width) => ({ ...face, faces: wide(width) })),
  video: { ...video, faces: wide(inVideo) },
})
const ended = (change: Partial<NonNullable<Task['result']>>): Partial<Task> => ({
  result: result && { ...result, ...change },
})
/** A swap that left out a second picture. */
const unused = (name: string, error: ErrorBody): Partial<Task> => ({
  pictures: [{ ...face, name }],
  ...ended({ oddPictures: [{ face: 0, picture: 1, error }] }),
})

const damaged = (['damaged', 'swapped'] as const).map((kind, n) => ({ kind, frames: [2, 9][n] ?? 0 }))

/** What is told, by how each sentence begins. */
const cases: [what: string, patch: Partial<Task>, begins: string[]][] = [
  ['nothing where all is plain', {}, []],
  ['several faces in the picture', { face: { ...face, faces: two } }, ['The picture shows 2 faces.']],
  [
    'a face that could be better',
    { face: { ...face, flaws: ['turned', 'covered'] } },
    ['The face in the picture is turned to the side.', 'Something covers part of the face in the picture'],
  ],
  [
    'a face that is more than four times as wide in the video',
    widths(90.2, 360.6),
    ['The face is 90 pixels wide in the picture, and 361 where it goes.'],
  ],
  ['nothing where it is just four times as wide', widths(90, 360), []],
  ['nothing where another photo is large enough', widths(90, 361, 120), []],
  [
    'several people in the video',
    { video: { ...video, faces: two }, peopleIds: ['a', 'b', 'c'] },
    ['The video shows 3 people.'],
  ],
  [
    'several people in a picture',
    { video: { ...video, kind: 'picture', faces: two } },
    ['The picture shows 2 people.'],
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
    ['“other.jpg” shows somebody else'],
  ],
  [
    'a photo of a covered face',
    unused('hand.jpg', { code: 'face-covered', details: { part: 'most' } }),
    ['“hand.jpg” wasn’t used. The face in this picture is covered.'],
  ],
  [
    'sound that cannot be kept',
    { video: { ...video, audioCodec: 'alac', lostSound: ['alac'] } },
    ['The sound is dropped because MP4 doesn’t support ALAC.'],
  ],
  ['a further sound track that cannot be kept', ended({ lostSound: ['alac'] }), ['Another sound track is dropped']],
  ['a graphics chip’s encoder that failed', ended({ fellBack: 'failed' }), ['The graphics chip’s encoder failed']],
  [
    'a video that is none for the graphics chip',
    ended({ fellBack: 'refused' }),
    ['The graphics chip’s encoder doesn’t support this video'],
  ],
  ['damaged frames', ended({ quality: damaged }), ['2 frames of the video are damaged.']],
]
it.each(cases)('tells of %s', (_what, patch, begins) =>
  expect(notesOf(makeTask(patch))).toEqual(begins.map((each) => expect.stringContaining(each) as string)),
)
