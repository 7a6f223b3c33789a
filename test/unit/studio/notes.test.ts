import { expect, it } from 'vitest'
import { notesOf } from '@shared/i18n/notes.ts'
import { face, makeTask, video } from '../../fixtures/tasks.ts'
import { swap } from '../../fixtures/fake-tasks.ts'

const { result } = swap('a', 0)
const [one] = face.faces
const two = one ? [one, one] : []

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
      'The face in the picture is turned to the side. One that looks at the camera comes out better.',
      'Something covers part of the face in the picture. It may show in the video; one that is free comes out better.',
    ],
  ],
  [
    'several people in the video',
    { video: { ...video, faces: two }, peopleIds: ['a', 'b', 'c'] },
    ['The video shows 3 people. The largest face is swapped, the others stay as they are.'],
  ],
  [
    'sound that cannot be kept',
    { video: { ...video, audioCodec: 'alac', lostSound: ['alac'] } },
    ['The sound cannot be kept: an MP4 file has no place for ALAC. Export the video with AAC sound to keep it.'],
  ],
  [
    'a further sound track that cannot be kept',
    { result: result && { ...result, lostSound: ['alac'] } },
    ['A further sound track cannot be kept: an MP4 file has no place for ALAC.'],
  ],
  [
    "a graphics chip's encoder that failed",
    { result: result && { ...result, fellBack: 'failed' as const } },
    ['The graphics chip’s encoder failed; the processor was used instead.'],
  ],
  [
    'a video that is none for the graphics chip',
    { result: result && { ...result, fellBack: 'refused' as const } },
    ['The graphics chip’s encoder does not take this video; the processor was used instead.'],
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
    ['2 frames of the video are damaged. The frame before is shown in their place.'],
  ],
])('tells of %s', (_what, patch, sentences) => {
  expect(notesOf(makeTask(patch))).toEqual(sentences)
})
