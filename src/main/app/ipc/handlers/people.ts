/** @file IPC handlers for the people in a video. */
import type { VideoPeople } from '@shared/people/people.ts'
import type { AppContext } from '../../app-context.ts'
import type { GroupHandlers } from '../register.ts'

export function peopleHandlers(
  { people }: AppContext,
  onChanged: (changed: VideoPeople) => void,
): GroupHandlers<'people'> {
  people.onChanged(onChanged)
  return {
    of: ({ videoId }) => people.of(videoId),
    stop: ({ videoId }) => {
      people.stop(videoId)
    },
    places: ({ videoId }) => people.places(videoId),
    correct: ({ videoId, ...corrections }) => people.correct(videoId, corrections),
    reset: ({ videoId }) => people.reset(videoId),
  }
}
