/**
 * @file The arguments of the contract's calls: main reads each by its schema here, and the page's types follow from
 * them. A call without one takes no argument. Only main may load this file: the page and the preload start without zod.
 */
import { z } from 'zod'
import { windowActions } from '../actions/actions.ts'
import { consentFormats } from '../tasks/consent.ts'
import { libraryQuerySchema } from '../tasks/library-query.ts'
import { settingsPatchSchema } from '../settings/settings.ts'
import { uploadCredentialsSchema, uploadTargetSchema } from '../service/upload-target.ts'
import { foundServerSchema, profileInputSchema } from '../service/profile.ts'
import { statusMeanings } from '../service/status-words.ts'
import { maxPeople, maxSplits, personSchema, rangeSchema, splitSchema } from '../people/people.ts'
import { longestNote } from '../tasks/tags.ts'
import { maxPictures } from '../options/swap-options.ts'
import { draftSchema, partChangeSchema } from '../tasks/task.ts'
import { doneActions } from './app-state.ts'

const id = z.string().min(1).max(64)
const modelId = z.strictObject({ id: z.string().regex(/^[0-9a-f]{64}$/) })
const ids = z.array(id).max(100_000)
const maxBatch = 10_000
/** Row numbers of swaps. The type is also that of arrays that could be shared, which the page's have. */
const numbers: z.ZodType<Uint32Array, Uint32Array> = z.instanceof(Uint32Array)
const pixels: z.ZodType<Uint8Array, Uint8Array> = z.instanceof(Uint8Array)
const droppedFile = z.strictObject({ path: z.string().min(1).max(32_768) })
const videoId = z.strictObject({ videoId: id })
const address = z.strictObject({ url: z.string().trim().min(1).max(4000) })
const face = z.strictObject({ face: id })
const longText = z.string().max(1_000_000)
const taskId = z.strictObject({ taskId: id })
const taskIds = z.strictObject({ taskIds: ids })
const profileId = z.strictObject({ profileId: id })
const iconSide = z.int().min(1).max(512)
const dragIcon = z
  .strictObject({ width: iconSide, height: iconSide, pixels })
  .refine((icon) => icon.pixels.length === icon.width * icon.height * 4)
/** A 64-bit integer as text, because a number would lose precision. */
const userId = z
  .string()
  .regex(/^\d{1,20}$/)
  .refine((text) => BigInt(text) < 2n ** 64n)

export const schemas = {
  app: {
    openHelp: z.strictObject({ topic: z.enum(['keyring', 'export-h264', 'project']) }),
    copyText: z.strictObject({ text: z.string().max(1_000_000) }),
    dismissNotice: z.strictObject({ id: z.string().max(200) }),
    offer: z.strictObject({
      actions: z.array(z.string().max(60)).max(1000),
      typing: z.boolean(),
      recording: z.boolean(),
    }),
    runInWindow: z.strictObject({ name: z.enum(windowActions) }),
  },
  intake: {
    find: z.strictObject({ paths: z.array(z.string().min(1).max(32_768)).min(1).max(10_000) }),
    chooseFiles: z.strictObject({ mediaSlot: z.enum(['face', 'video']).nullable(), several: z.boolean() }),
    foundFace: z.strictObject({ token: id }),
    foundVideo: z.strictObject({ token: id }),
    dropFace: droppedFile,
    choosePictures: z.strictObject({ faceId: id, max: z.int().positive().max(maxPictures) }),
    confirmFace: z.strictObject({ faceId: id, confirmed: z.boolean() }),
    faces: z.strictObject({ faceIds: z.array(id).max(10_000) }),
    dropVideo: droppedFile,
    openAddress: address,
    useAddress: address,
    stop: z.strictObject({ mediaSlot: z.enum(['face', 'video']) }),
    estimate: z.strictObject({
      ...{ videoId: id, profileId: id, range: rangeSchema.exactOptional() },
      model: z.strictObject({ id, seenMs: z.number().nonnegative().nullable() }).exactOptional(),
    }),
  },
  consents: {
    of: z.strictObject({ faceIds: z.array(id).max(1000) }),
    dropRelease: droppedFile,
    // A text that is too long is refused with a sentence (readDetails).
    save: z.strictObject({
      faces: z.array(id).min(1).max(1000),
      ...{ by: longText, purpose: longText, note: longText },
      release: id.nullable().exactOptional(),
    }),
    withdraw: face,
    restore: z.strictObject({ face: id, taskIds: z.array(id).max(100_000) }),
    giveAgain: face,
    openRelease: face,
    exportFile: z.strictObject({ faces: z.array(id).max(100_000), format: z.enum(consentFormats) }),
  },
  models: {
    drop: droppedFile,
    confirmLicence: modelId,
    check: modelId,
    remove: modelId,
  },
  people: {
    of: videoId,
    stop: videoId,
    places: videoId,
    correct: z.strictObject({
      videoId: id,
      people: z.array(personSchema).max(maxPeople),
      splits: z.array(splitSchema).max(maxSplits),
    }),
    reset: videoId,
  },
  proof: { begin: z.strictObject({ id, draft: draftSchema }) },
  tasks: {
    get: taskId,
    submit: draftSchema,
    submitAll: z.strictObject({ drafts: z.array(draftSchema).min(1).max(maxBatch) }),
    submitAgain: z.strictObject({ numbers: numbers.refine(({ length }) => length <= maxBatch), faceId: id }),
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
    showSaved: taskId,
    saveFrame: z.strictObject({ taskId: id, side: z.enum(['before', 'after']), time: z.number().min(-1e6).max(1e6) }),
    showInFolder: taskId,
    record: taskId,
    looking: z.strictObject({ taskId: id.nullable() }),
  },
  queue: {
    chooseWhenDone: z.strictObject({ action: z.enum(doneActions) }),
  },
  versions: {
    make: z.strictObject({ taskId: id, change: partChangeSchema }),
    stop: taskId,
    goBack: z.strictObject({ taskId: id, number: z.int().positive() }),
  },
  library: {
    view: libraryQuerySchema,
    rows: z.strictObject({ numbers: numbers.refine(({ length }) => length <= 1000) }),
    sets: z.strictObject({ numbers: numbers.refine(({ length }) => length <= 1000) }),
    remove: z.strictObject({ numbers }),
    restore: z.strictObject({ numbers }),
    // A tag that is too long is refused with a sentence (readTag).
    tag: z.strictObject({
      changes: z.array(z.strictObject({ tag: z.string().max(100_000), numbers, on: z.boolean() })).max(1000),
    }),
    tagsOf: z.strictObject({ numbers }),
    setFavourite: z.strictObject({ numbers, favourite: z.boolean() }),
    note: z.strictObject({ number: z.int().positive() }),
    setNote: z.strictObject({ number: z.int().positive(), note: z.string().max(longestNote) }),
  },
  results: {
    saveCopies: z.strictObject({ numbers }),
    trash: z.strictObject({ numbers }),
    open: taskId,
    copyFiles: z.strictObject({ numbers }),
    copyPaths: z.strictObject({ numbers }),
    drag: z.strictObject({ numbers, icon: dragIcon.nullable() }),
  },
  signing: {
    useCertificate: z.strictObject({ passphrase: z.string().max(1000).nullable() }),
  },
  credentials: {
    drop: droppedFile,
    ofSwap: taskId,
    verify: z.strictObject({ token: id }),
  },
  settings: {
    set: settingsPatchSchema,
  },
  presets: { exportFile: z.strictObject({ id }), drop: droppedFile },
  diagnostics: {
    collect: z.strictObject({ codecs: z.record(z.string().max(60), z.boolean()) }),
  },
  profiles: {
    save: profileInputSchema,
    pair: z.strictObject({
      code: z.string().min(1).max(20_000),
      keep: z.enum(['keychain', 'session']),
      found: foundServerSchema.exactOptional(),
    }),
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

export type Schemas = typeof schemas
