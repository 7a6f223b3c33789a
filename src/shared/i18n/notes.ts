/** @file Notes on a swap on this computer that aren't errors. */
import type { Missing } from '../engine/engine.ts'
import type { FaceFlaw } from '../engine/engine.ts'
import { errorSentence } from './error-text.ts'
import { formatCodec } from './format.ts'
import { m } from './paraglide/messages.js'
import type { FaceMedia, Task, VideoMedia } from '../tasks/task.ts'

/** A whole sentence for each flaw of a face. */
export const flawNotes: Record<FaceFlaw, () => string> = {
  turned: m.note_turned,
  covered: m.note_covered,
  blurred: m.note_blurred,
}

const widest = (faces: FaceMedia['faces']): number => Math.round(Math.max(0, ...faces.map(({ box }) => box.width)))

/**
 * A whole sentence if a person's face is less than a quarter as wide in every picture as in the video, so that it is
 * drawn at more than four times its size; null otherwise, or if a size is unknown.
 */
export function smallFaceNote(pictures: readonly FaceMedia[], { faces }: Pick<VideoMedia, 'faces'>): string | null {
  // Only the largest face of a picture is used.
  const pixels = widest(pictures.flatMap((picture) => picture.faces))
  const wanted = widest(faces)
  return pixels > 0 && pixels * 4 < wanted ? m.note_small({ pixels, wanted }) : null
}

/** Notes as whole sentences. Only for swaps on this computer, because other services have different rules. */
export function notesOf({ face, pictures, cast, video, peopleIds, result }: Task): string[] {
  const notes: string[] = []
  const faces = face.faces.length
  if (faces > 1) notes.push(m.note_faces({ count: faces }))
  for (const flaw of face.flaws) notes.push(flawNotes[flaw]())
  const small = cast.length > 0 ? null : smallFaceNote([face, ...pictures], video)
  if (small !== null) notes.push(small)
  const everybody = cast.length > 0 ? cast : [{ face, pictures }]
  for (const odd of result?.oddPictures ?? []) {
    const of = everybody[odd.face]
    const name = of && [of.face, ...of.pictures][odd.picture]?.name
    if (name === undefined) continue
    const isOther = odd.error.code === 'picture-other-person'
    const unused = { title: m.note_unused({ name }), body: errorSentence(odd.error) }
    notes.push(isOther ? m.note_other_person({ name }) : m.title_and_body(unused))
  }
  const people = Math.max(video.faces.length, peopleIds.length)
  const ofPeople = video.kind === 'picture' ? m.note_people_picture : m.note_people
  if (people > 1 && cast.length === 0) notes.push(ofPeople({ count: people }))
  const [lost] = result?.lostSound ?? video.lostSound
  if (lost !== undefined) {
    const codec = formatCodec(lost)
    notes.push(lost === video.audioCodec ? m.note_sound({ codec }) : m.note_sound_further({ codec }))
  }
  for (const one of result?.missing ?? video.missing) notes.push(missingNotes[one]())
  if (result?.fellBack === 'failed') notes.push(m.note_encoder_failed())
  if (result?.fellBack === 'refused') notes.push(m.note_encoder_refused())
  if (result?.credentials === 'unsupported') notes.push(m.note_unsigned_unsupported())
  if (result?.credentials === 'failed') notes.push(m.note_unsigned_failed())
  const damaged = (result?.quality ?? []).reduce((sum, run) => sum + (run.kind === 'damaged' ? run.frames : 0), 0)
  if (damaged > 0) notes.push(m.note_damaged({ count: damaged }))
  return notes
}

const missingNotes: Readonly<Record<Missing, () => string>> = {
  chapters: m.note_missing_chapters,
  subtitles: m.note_missing_subtitles,
  cover: m.note_missing_cover,
  edits: m.note_missing_edits,
  end: m.note_missing_end,
  pictures: m.note_missing_pictures,
  fields: m.note_missing_fields,
  hdr: m.note_missing_hdr,
  original: m.note_missing_original,
  order: m.note_missing_order,
  timecode: m.note_missing_timecode,
  styles: m.note_missing_styles,
  attachments: m.note_missing_attachments,
  motion: m.note_missing_motion,
}
