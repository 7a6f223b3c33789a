/** @file Schemas of each method's argument: nothing from a renderer is used without validation. */
import { z } from 'zod'
import { settingsPatchSchema, settingsSchema } from '@shared/settings.ts'
import { uploadCredentialsSchema, uploadTargetSchema } from '@shared/upload-target.ts'
import { profileInputSchema } from '@shared/profile.ts'
import { statusMeanings } from '@shared/status-words.ts'
import { maxPeople, personSchema, rangeSchema } from '@shared/people.ts'
import { maxPictures } from '@shared/swap-options.ts'
import { draftSchema, partChangeSchema } from '@shared/task.ts'
import { filters } from '@shared/task-row.ts'
import { doneActions } from '@shared/when-done.ts'
import type { Schemas } from './register.ts'

const nothing = z.void()
const id = z.string().min(1).max(64)
const modelId = z.strictObject({ id: z.string().regex(/^[0-9a-f]{64}$/) })
const ids = z.array(id).max(100_000)
/** Row numbers of swaps. */
const numbers = z.instanceof(Uint32Array)
const droppedFile = z.strictObject({ path: z.string().min(1).max(32_768) })
const videoId = z.strictObject({ videoId: id })
const address = z.strictObject({ url: z.string().trim().min(1).max(4000) })
const taskId = z.strictObject({ taskId: id })
const taskIds = z.strictObject({ taskIds: ids })
const profileId = z.strictObject({ profileId: id })
/** A 64-bit integer as text, because a number would lose precision. */
const userId = z
  .string()
  .regex(/^\d{1,20}$/)
  .refine((text) => BigInt(text) < 2n ** 64n)

export const schemas: Schemas = {
  app: {
    info: nothing,
    drawn: nothing,
    openHelp: z.strictObject({ topic: z.enum(['keyring', 'export-h264', 'project']) }),
    measure: nothing,
    stopMeasuring: nothing,
    copyText: z.strictObject({ text: z.string().max(1_000_000) }),
    licences: nothing,
    notices: nothing,
    dismissNotice: z.strictObject({ id: z.string().max(200) }),
    retryService: nothing,
  },
  intake: {
    chooseFace: nothing,
    find: z.strictObject({ paths: z.array(z.string().min(1).max(32_768)).min(1).max(10_000) }),
    chooseMany: z.strictObject({ mediaSlot: z.enum(['face', 'video']) }),
    foundFace: z.strictObject({ token: id }),
    foundVideo: z.strictObject({ token: id }),
    clipboard: nothing,
    dropFace: droppedFile,
    pasteFace: nothing,
    choosePictures: z.strictObject({ faceId: id, max: z.int().positive().max(maxPictures) }),
    confirmFace: z.strictObject({ faceId: id, confirmed: z.boolean() }),
    chooseVideo: nothing,
    dropVideo: droppedFile,
    pasteVideo: nothing,
    openAddress: address,
    useAddress: address,
    stop: z.strictObject({ mediaSlot: z.enum(['face', 'video']) }),
    sample: nothing,
    expect: nothing,
    estimate: z.strictObject({ videoId: id, profileId: id, range: rangeSchema.exactOptional() }),
  },
  models: {
    list: nothing,
    choose: nothing,
    drop: droppedFile,
    confirmLicence: modelId,
    check: modelId,
    remove: modelId,
  },
  people: {
    of: videoId,
    stop: videoId,
    correct: z.strictObject({ videoId: id, people: z.array(personSchema).max(maxPeople) }),
    reset: videoId,
  },
  proof: { begin: z.strictObject({ id, draft: draftSchema }), stop: nothing },
  tasks: {
    snapshot: nothing,
    get: taskId,
    submit: draftSchema,
    submitAll: z.strictObject({ drafts: z.array(draftSchema).min(1).max(10_000) }),
    cancel: taskIds,
    pause: taskIds,
    resume: taskIds,
    retry: taskId,
    decide: z.strictObject({
      taskId: id,
      decision: z.enum(['send-again', 'do-not-send', 'give-id']),
      objectId: z.string().trim().max(500).exactOptional(),
    }),
    rename: z.strictObject({ taskId: id, title: z.string().trim().min(1).max(200), withFile: z.boolean() }),
    move: z.strictObject({
      taskId: id,
      to: z.union([z.enum(['first', 'up', 'down', 'last']), z.strictObject({ before: id })]),
    }),
    saveAs: taskId,
    showInFolder: taskId,
    record: taskId,
    looking: z.strictObject({ taskId: id.nullable() }),
  },
  queue: {
    whenDone: nothing,
    chooseWhenDone: z.strictObject({ action: z.enum(doneActions) }),
    cancelSleep: nothing,
  },
  versions: {
    make: z.strictObject({ taskId: id, change: partChangeSchema }),
    stop: taskId,
    goBack: z.strictObject({ taskId: id, number: z.int().positive() }),
  },
  library: {
    view: z.strictObject({
      search: z.string().max(500),
      filter: z.enum(filters),
      sort: settingsSchema.shape.librarySort.unwrap(),
      limit: z.int().min(1).max(1000).exactOptional(),
    }),
    rows: z.strictObject({ numbers: numbers.refine(({ length }) => length <= 1000) }),
    remove: z.strictObject({ numbers }),
    restore: z.strictObject({ numbers }),
  },
  settings: {
    get: nothing,
    set: settingsPatchSchema,
    resultsFolder: nothing,
    chooseResultsFolder: nothing,
    showResultsFolder: nothing,
    exportFile: nothing,
    importFile: nothing,
  },
  updates: { state: nothing, check: nothing, download: nothing, restart: nothing },
  diagnostics: {
    collect: z.strictObject({ codecs: z.record(z.string().max(60), z.boolean()) }),
    save: nothing,
  },
  profiles: {
    list: nothing,
    save: profileInputSchema,
    remove: profileId,
    test: profileId,
    setKey: z.strictObject({
      profileId: id,
      key: z.string().min(1).max(5000),
      keep: z.enum(['keychain', 'session']),
      another: z.boolean().exactOptional(),
    }),
    clearKey: z.strictObject({ profileId: id, keyId: id.exactOptional() }),
    useKey: z.strictObject({ profileId: id, keyId: id }),
    setAdmin: z.strictObject({ profileId: id, value: z.string().min(1).max(5000).nullable() }),
    pause: z.strictObject({ profileId: id, paused: z.boolean() }),
    mapWord: z.strictObject({
      profileId: id,
      word: z.string().trim().min(1).max(200),
      meaning: z.enum(statusMeanings).nullable(),
    }),
  },
  uploads: {
    get: profileId,
    save: z.strictObject({
      profileId: id,
      target: uploadTargetSchema,
      credentials: uploadCredentialsSchema.nullable(),
    }),
    remove: profileId,
    test: profileId,
  },
  keys: {
    list: z.strictObject({ profileId: id, userId }),
    make: z.strictObject({ profileId: id, userId }),
    revoke: z.strictObject({ profileId: id, row: id }),
  },
}
