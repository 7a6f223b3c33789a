/** @file IPC handlers for the people in a video. */
import type { VideoPeople } from '@shared/people.ts'
import type { GroupHandlers } from '../register.ts'

export function peopleHandlers(): GroupHandlers<'people'> {
  const nobody = ({ videoId }: { videoId: string }): Promise<VideoPeople> =>
    Promise.resolve({ videoId, people: [], clips: [], scanned: 1, isCorrected: false, wasChanged: false })
  return { of: nobody, correct: nobody, reset: nobody, stop: () => Promise.resolve() }
}
