/** @file Which well a file belongs to. */
import type { WellName } from '../state/composer.svelte.ts'

const pictures = /\.(?:jpe?g|png|webp|avif|gif|bmp|heic|heif|tiff?)$/i
const videos = /\.(?:mp4|m4v|mov|webm|mkv|avi|mpe?g|ts|3gp|wmv)$/i

/** By type, else by name; null: neither, so the well under the pointer takes it and says what is wrong. */
export function wellFor(file: { readonly type: string; readonly name?: string }): WellName | null {
  if (file.type.startsWith('image/')) return 'face'
  if (file.type.startsWith('video/')) return 'video'
  const name = file.name ?? ''
  if (pictures.test(name)) return 'face'
  return videos.test(name) ? 'video' : null
}

/** Which wells a set of dropped files goes to: the first picture, the first video. */
export function sortFiles<F extends { readonly type: string; readonly name?: string }>(
  files: readonly F[],
  under: WellName | null,
): { face: F | null; video: F | null } {
  const face = files.find((file) => wellFor(file) === 'face') ?? null
  const video = files.find((file) => wellFor(file) === 'video') ?? null
  if (face !== null || video !== null) return { face, video }
  const [first = null] = files
  return under === 'face' ? { face: first, video: null } : { face: null, video: first }
}

/** The first http(s) address in a text that is one; null otherwise. */
export function addressIn(text: string): string | null {
  const trimmed = text.trim()
  return /^https?:\/\/\S+$/i.test(trimmed) ? trimmed : null
}
