/** @file Options of a swap besides its face and video, and their defaults. Without zod, for the studio's first bundle. */
import type { Label } from './label.ts'
import type { Language } from '../language.ts'

/** Parts of the person in the video that can stay: lips and teeth, glasses, hair over the forehead. */
export const keepable = ['mouth', 'glasses', 'hair'] as const
export type Keepable = (typeof keepable)[number]

/** Lines of a result: pixels of its shorter side. */
export const outputSizes = ['2160p', '1440p', '1080p', '720p', '480p', '360p'] as const
/** Pixels of a result's longest side, in swaps and presets of earlier versions. */
export const longestSides = [2160, 1440, 1080, 720, 480, 360] as const
/** Null: as the source. */
export type OutputSize = (typeof outputSizes)[number] | (typeof longestSides)[number] | null

export const outputQualities = ['small', 'balanced', 'best'] as const
export type OutputQuality = (typeof outputQualities)[number]

/** `automatic`: the graphics chip if it passed the benchmark's check. */
export const encoderChoices = ['automatic', 'software'] as const

/** How a result is written. */
export interface OutputOptions {
  /** The aspect ratio stays, and nothing is enlarged. */
  size: OutputSize
  /** Of a video: its bitrate. */
  quality: OutputQuality
  encoder: (typeof encoderChoices)[number]
}

export const defaultOutput: Readonly<OutputOptions> = { size: null, quality: 'balanced', encoder: 'automatic' }

export interface SwapOptions extends OutputOptions {
  /**
   * How far brows, eyes, nose and mouth take the face's proportions, in percent: 0 is the video's. Above the default, more of the
   * face's skin is drawn, too.
   */
  likeness: number
  /** What stays of the person in the video. */
  keep: Keepable[]
  /** Id of a model of the user's; null for the built-in method. */
  method: string | null
  /** Visible label. Null: as in the settings, when the swap is added; later, none. */
  label: Label | null
  /** Of the label's text. Null: as in the settings. */
  labelLanguage: Language | null
}

export const defaultOptions: Readonly<SwapOptions> = {
  likeness: 65,
  keep: ['glasses', 'hair'],
  method: null,
  label: null,
  labelLanguage: null,
  ...defaultOutput,
}

/** Number of pictures of one person in a swap, at most. */
export const maxPictures = 10

/** Names of the options that differ. @param usual the default options, or a preset's */
export function changedOptions(
  options: SwapOptions,
  usual: Readonly<SwapOptions> = defaultOptions,
): (keyof SwapOptions)[] {
  const isSame = (name: keyof SwapOptions): boolean =>
    name === 'keep'
      ? keepable.every((part) => options.keep.includes(part) === usual.keep.includes(part))
      : options[name] === usual[name]
  return (['likeness', 'keep', 'method', 'size', 'quality', 'encoder', 'label', 'labelLanguage'] as const).filter(
    (name) => !isSame(name),
  )
}
