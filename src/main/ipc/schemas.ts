/** @file What each method of the contract takes, as schemas: nothing from a renderer is used unparsed. */
import { z } from 'zod'
import { profileInputSchema } from '@shared/profile.ts'
import { draftSchema } from '@shared/task.ts'
import type { Schemas } from './register.ts'

const nothing = z.void()
const id = z.string().min(1).max(64)
const ids = z.array(id).max(10_000)
const droppedFile = z.strictObject({ path: z.string().min(1).max(32_768) })
const taskId = z.strictObject({ taskId: id })
const taskIds = z.strictObject({ taskIds: ids })
const profileId = z.strictObject({ profileId: id })

export const schemas: Schemas = {
  app: {
    info: nothing,
    openHelp: z.strictObject({ topic: z.enum(['keyring', 'export-h264', 'project']) }),
    copyText: z.strictObject({ text: z.string().max(1_000_000) }),
    notices: nothing,
    dismissNotice: z.strictObject({ id: z.string().max(200) }),
  },
  intake: {
    chooseFace: nothing,
    dropFace: droppedFile,
    pasteFace: nothing,
    confirmFace: z.strictObject({ faceId: id, confirmed: z.boolean() }),
    chooseVideo: nothing,
    dropVideo: droppedFile,
    pasteVideo: nothing,
    openAddress: z.strictObject({ url: z.string().trim().min(1).max(4000) }),
    stop: z.strictObject({ well: z.enum(['face', 'video']) }),
    sample: nothing,
    estimate: z.strictObject({ videoId: id, profileId: id }),
  },
  tasks: {
    snapshot: nothing,
    submit: draftSchema,
    cancel: taskIds,
    pause: taskIds,
    resume: taskIds,
    retry: taskId,
    decide: z.strictObject({
      taskId: id,
      decision: z.enum(['send-again', 'do-not-send', 'give-id']),
      objectId: z.string().trim().max(500).exactOptional(),
    }),
    remove: taskIds,
    restore: taskIds,
    rename: z.strictObject({ taskId: id, title: z.string().trim().min(1).max(200) }),
    saveAs: taskId,
    showInFolder: taskId,
    record: taskId,
    looking: z.strictObject({ taskId: id.nullable() }),
  },
  settings: {
    get: nothing,
    set: z.strictObject({
      theme: z.enum(['system', 'light', 'dark']).exactOptional(),
      libraryView: z.enum(['grid', 'list']).exactOptional(),
      librarySort: z.enum(['newest', 'oldest', 'title']).exactOptional(),
      compareMode: z.enum(['divider', 'side', 'before', 'after']).exactOptional(),
      repeat: z.boolean().exactOptional(),
      muted: z.boolean().exactOptional(),
      lastProfileId: id.exactOptional(),
    }),
    resultsFolder: nothing,
    chooseResultsFolder: nothing,
    showResultsFolder: nothing,
  },
  profiles: {
    list: nothing,
    save: profileInputSchema,
    remove: profileId,
    test: profileId,
    setKey: z.strictObject({ profileId: id, key: z.string().min(1).max(5000), keep: z.enum(['keychain', 'session']) }),
    clearKey: profileId,
  },
}
