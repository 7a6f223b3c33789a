/** @file People, ranges and pictures as targets, which only some services know. Pure. */
import type { TargetKind } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import type { Draft } from '@shared/tasks/task.ts'
import type { Capabilities } from '@shared/service/wire.ts'

interface Faces<Picture> {
  face: Picture
  pictures: Picture[]
}

/** All pictures of a swap besides `face`, each once: those of the same person, or of everyone in its cast. */
export function otherPictures<Picture extends { id: string }>({
  face,
  pictures,
  cast,
}: Faces<Picture> & { cast: Faces<Picture>[] }): Picture[] {
  const all = cast.length === 0 ? pictures : cast.flatMap((each) => [each.face, ...each.pictures])
  return [...new Map(all.map((picture) => [picture.id, picture])).values()].filter(({ id }) => id !== face.id)
}

/** Why a service can't make a swap as the user wants it; null: it can. Such a swap is never simplified. */
export function refusalOf(
  { cast, range, video }: Required<Pick<Draft, 'range'>> & { cast: readonly unknown[]; video: { kind: TargetKind } },
  capabilities: Capabilities | null,
): MienError | null {
  const { kind } = video
  if (kind !== 'video' && !capabilities?.targets.includes(kind)) return new MienError('target-unsupported', { kind })
  if (cast.length > (capabilities?.cast ?? 0)) return new MienError('cast-unsupported')
  return range !== null && capabilities?.range !== true ? new MienError('range-unsupported') : null
}
