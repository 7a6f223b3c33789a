/** @file The user's settings: the only place with their names, types, defaults and limits. */
import { z } from 'zod'
import { maxConsentText } from '../tasks/consent.ts'
import { isKeys } from './keys.ts'
import { contentProducerPattern, labels } from '../options/label.ts'
import { languages } from '../language.ts'
import { librarySorts } from '../tasks/library-view.ts'
import { defaultBatchTitles, defaultFileName, templateProblem } from '../files/name-template.ts'
import { maxPresetName, maxPresets, type Preset } from './presets.ts'
import { defaultOptions, swapOptionsSchema } from '../options/swap-options.ts'
import { embeddedProfileId } from '../tasks/task-states.ts'

export const minZoom = 0.5
export const maxZoom = 2

export const presetSchema = z.object({
  id: z.string().min(1).max(64),
  name: z.string().trim().min(1).max(maxPresetName),
  options: swapOptionsSchema,
}) satisfies z.ZodType<Preset>

const templateSchema = z.string().refine((template) => templateProblem(template) === null)

/** Reads stored settings: a missing or invalid value becomes its default. */
export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** `system`: the best of the system's languages. */
  language: z.enum(['system', ...languages]).catch('system'),
  libraryView: z.enum(['grid', 'list']).catch('grid'),
  librarySort: z.enum(librarySorts).catch('newest'),
  compareMode: z.enum(['divider', 'side', 'before', 'after']).catch('divider'),
  repeat: z.boolean().catch(false),
  muted: z.boolean().catch(false),
  /** Mark the weak parts of a finished swap. */
  weakMarks: z.boolean().catch(true),
  /** Profile chosen last in the composer. */
  lastProfileId: z.string().min(1).max(64).catch(embeddedProfileId),
  /** Options of the last swap. */
  swapOptions: swapOptionsSchema.catch(defaultOptions),
  /** Visible label of swaps whose options don't name one. */
  label: z.enum(labels).catch('off'),
  /** Of the label's text; `app`: the language in use. */
  labelLanguage: z.enum(['app', ...languages]).catch('app'),
  /** Name or code of who makes results, in the metadata of the label `china`. */
  contentProducer: z.string().regex(contentProducerPattern).catch(''),
  /** The user's presets, in their order. */
  presets: z.array(presetSchema).max(maxPresets).catch([]),
  /** Id of the preset chosen last in the composer: one of the user's, or of `builtInPresets`. */
  lastPreset: presetSchema.shape.id.catch('standard'),
  /** Id of the preset that the composer begins with at a start; '': the options of the last swap. */
  defaultPreset: z.string().max(64).catch(''),
  /** Template for the names of results, see name-template.ts. */
  fileName: templateSchema.catch(defaultFileName),
  /** Stay in the composer after Swap, instead of showing the swap. */
  stayInComposer: z.boolean().catch(false),
  /** Template for the titles of a batch. */
  batchTitles: templateSchema.catch(defaultBatchTitles),
  /** Rename the file with its swap. */
  renameFile: z.boolean().catch(true),
  /**
   * Content credentials in results: none; in those that can be signed; or in all, so that a result that can't be signed
   * isn't saved.
   */
  credentials: z.enum(['off', 'on', 'required']).catch('on'),
  /** Names of files and swaps in the credentials. */
  credentialNames: z.boolean().catch(false),
  /** Who gives consents, as it was entered last; '': the system's name of the user. */
  consentName: z.string().trim().max(maxConsentText.by).catch(''),
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
  /** The user's own keys by action. An action without valid keys has its default ones. */
  shortcuts: z
    .record(z.string().max(60), z.array(z.string().refine(isKeys)).max(4).readonly().optional().catch(undefined))
    .catch({}),
  /** Ids of the actions that the user ran last from the palette, the last first. */
  recentActions: z.array(z.string().max(60)).max(5).catch([]),
  /** Offer the files that were added last. */
  recentFiles: z.boolean().catch(true),
  /** Zoom factor of the window; 1 is 100 %. */
  zoomFactor: z.number().min(minZoom).max(maxZoom).catch(1),
})
export type Settings = z.infer<typeof settingsSchema>

/** Any of the settings, for changes and imports: an invalid value or an unknown name fails. */
export const settingsPatchSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(settingsSchema.shape).map(([name, field]) => [name, field.unwrap().exactOptional()] as const),
  ),
) as z.ZodType<Partial<Settings>, Partial<Settings>> // `fromEntries` loses the names

/** A setting that a policy can fix. */
export type LockedSetting =
  'resultsFolder' | 'updateCheck' | 'updateDownload' | 'updateChannel' | 'credentials' | 'label'

/** The results folder as shown to people. Its path never leaves main. */
export interface ResultsFolder {
  name: string
  /** Why results can't be saved there. */
  problem: 'folder-missing' | 'folder-read-only' | null
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
