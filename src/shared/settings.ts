/** @file The user's settings: the only place with their names, types, defaults and limits. */
import { z } from 'zod'
import { languages } from './language.ts'
import { defaultBatchTitles, defaultFileName, templateProblem } from './name-template.ts'
import { defaultOptions, swapOptionsSchema } from './swap-options.ts'
import { embeddedProfileId } from './task-states.ts'

export const minZoom = 0.5
export const maxZoom = 2

/** Reads stored settings: a missing or invalid value becomes its default. */
export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** `system`: the best of the system's languages. */
  language: z.enum(['system', ...languages]).catch('system'),
  libraryView: z.enum(['grid', 'list']).catch('grid'),
  librarySort: z.enum(['newest', 'oldest', 'title']).catch('newest'),
  compareMode: z.enum(['divider', 'side', 'before', 'after']).catch('divider'),
  repeat: z.boolean().catch(false),
  muted: z.boolean().catch(false),
  /** Mark the weak parts of a finished swap. */
  weakMarks: z.boolean().catch(true),
  /** Profile chosen last in the composer. */
  lastProfileId: z.string().min(1).max(64).catch(embeddedProfileId),
  /** Options of the last swap. */
  swapOptions: swapOptionsSchema.catch(defaultOptions),
  /** Template for the names of results, see name-template.ts. */
  fileName: z
    .string()
    .refine((template) => templateProblem(template) === null)
    .catch(defaultFileName),
  /** Stay in the composer after Swap, instead of showing the swap. */
  stayInComposer: z.boolean().catch(false),
  /** Template for the titles of a batch. */
  batchTitles: z
    .string()
    .refine((template) => templateProblem(template) === null)
    .catch(defaultBatchTitles),
  /** Rename the file with its swap. */
  renameFile: z.boolean().catch(true),
  /** Check for updates. */
  updateCheck: z.boolean().catch(true),
  /** Download updates without asking. */
  updateDownload: z.boolean().catch(false),
  updateChannel: z.enum(['stable', 'beta']).catch('stable'),
  /** Ask before a quit that stops swaps. */
  askBeforeQuit: z.boolean().catch(true),
  /** Keep running in the background, without a question, at a quit that would stop swaps. */
  runInBackground: z.boolean().catch(false),
  /** Notifications while the window isn't focused: finished swaps, the last finished swap, swaps that need the user. */
  notifyFinished: z.boolean().catch(true),
  notifyAllFinished: z.boolean().catch(true),
  notifyAttention: z.boolean().catch(true),
  notificationSound: z.boolean().catch(false),
  /** Zoom factor of the window; 1 is 100 %. */
  zoomFactor: z.number().min(minZoom).max(maxZoom).catch(1),
})
export type Settings = z.infer<typeof settingsSchema>

/** Any of the settings, for changes and imports: an invalid value or an unknown name fails. */
export const settingsPatchSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(settingsSchema.shape).map(([name, field]) => [name, field.unwrap().exactOptional()] as const),
  ),
) as z.ZodType<Partial<Settings>> // `fromEntries` loses the names

/** A setting that a policy can fix. */
export type LockedSetting = 'resultsFolder' | 'updateCheck' | 'updateDownload' | 'updateChannel'

/** The results folder as shown to people. Its path never leaves main. */
export interface ResultsFolder {
  name: string
  exists: boolean
  writable: boolean
  videos: number
  bytes: number
  freeBytes: number
}

/** Result of an import of settings. */
export interface ImportReport {
  services: number
  /** Names of services that exist here with a different address. They were added as new services, without a key. */
  added: string[]
  /** Names of settings that were skipped because they are locked or invalid. */
  leftOut: string[]
}
