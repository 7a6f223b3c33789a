/** @file Visible labels: their kinds and texts. Without zod, for the studio's first bundle. */
import type { Language } from '../language.ts'

/**
 * `eu` is on the whole video, for the disclosure of deep fakes (AI Act, Article 50(4)); `start` has the same text on its
 * first seconds. `china` follows GB 45438-2025, with metadata. On a picture, `eu` and `start` are the same.
 */
export const labels = ['off', 'eu', 'start', 'china'] as const
export type Label = (typeof labels)[number]

/**
 * Seconds that a label on the start of a video is visible. GB 45438-2025 asks for two; the third is for players and
 * sites that drop frames.
 */
export const startSeconds = 3

/** Of the metadata that belong to `china`: printable ASCII, as GB 45438-2025 asks for. */
export const contentProducerPattern = /^[\x20-\x7e]{0,100}$/

interface LabelText {
  long: string
  /** For pictures that are too small for the long one. */
  short: string
}

/** After a change, run `scripts/fonts/label-glyphs.py`: labels are drawn by outlines, not by fonts of the system. */
export const labelTexts: Readonly<Record<Language | 'china', LabelText>> = {
  en: { long: 'AI-edited: face replaced', short: 'AI' },
  'zh-CN': { long: 'AI 编辑：人脸已替换', short: 'AI' },
  ja: { long: 'AI編集：顔を入れ替え', short: 'AI' },
  es: { long: 'Editado con IA: cara sustituida', short: 'IA' },
  de: { long: 'KI-bearbeitet: Gesicht ersetzt', short: 'KI' },
  fr: { long: 'Modifié par IA : visage remplacé', short: 'IA' },
  china: { long: '人工智能生成', short: 'AI生成' },
}
