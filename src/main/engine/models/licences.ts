/**
 * @file What known models may be used for, as their makers or distributors label them. By file name, because only the
 * user knows whether the content is theirs. Pure.
 */

import type { LicenceId } from '@shared/engine/models.ts'
import type { Manifest } from './manifest.ts'

const known: readonly [RegExp, LicenceId][] = [
  [/^inswapper_128(?:_fp16)?$/, 'non-commercial'],
  [/^(?:arcface_)?w600k_r50$/, 'non-commercial'],
  [/^simswap_(?:256|unofficial_512)$/, 'non-commercial'],
  [/^blendswap_256$/, 'non-commercial'],
  [/^hyperswap_1[abc]_256$/, 'research'],
  [/^ghost_[123]_256$/, 'apache-vggface2'],
]

/** @param fileName without its folder */
export function licenceOf(fileName: string, manifest: Manifest | null): { id: LicenceId; text: string | null } {
  if (manifest?.licence !== undefined) return { id: 'stated', text: manifest.licence }
  const stem = fileName.replace(/\.onnx$/i, '').toLowerCase()
  return { id: known.find(([name]) => name.test(stem))?.[1] ?? 'unknown', text: null }
}
