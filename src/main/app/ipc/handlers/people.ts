/** @file IPC handlers for the people in a video. */
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

export function peopleHandlers({ context: { people }, send }: HandlerDeps): GroupHandlers<'people'> {
  people.onChanged((changed) => send('people', 'changed', changed))
  return {
    of: ({ videoId }) => people.of(videoId),
    stop: ({ videoId }) => people.stop(videoId),
    places: ({ videoId }) => people.places(videoId),
    correct: ({ videoId, ...corrections }) => people.correct(videoId, corrections),
    reset: ({ videoId }) => people.reset(videoId),
  }
}

export function proofHandlers({ context: { proof }, send }: HandlerDeps): GroupHandlers<'proof'> {
  proof.onChanged((changed) => send('proof', 'changed', changed))
  return {
    begin: ({ id, draft }) => proof.begin(id, draft),
    stop: () => proof.stop(),
  }
}
