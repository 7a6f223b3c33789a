/** @file Parses a path copied as text, from a terminal or an address bar. Pure. */
import { posix, win32 } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The absolute path in a text, with or without quotes, or as a file: URL; null when there is none. `home` replaces "~".
 */
export function pathInText(text: string, home: string, platform: NodeJS.Platform = process.platform): string | null {
  const trimmed = text.trim()
  if (trimmed === '' || /[\r\n\0]/.test(trimmed)) return null
  const bare = trimmed.replace(/^(["'])(.+)\1$/, '$2')
  if (/^file:/i.test(bare)) {
    try {
      return fileURLToPath(bare, { windows: platform === 'win32' })
    } catch {
      return null
    }
  }
  const path = platform === 'win32' ? win32 : posix
  if (/^~[\\/]/.test(bare)) return path.join(home, bare.slice(2))
  return path.isAbsolute(bare) ? bare : null
}
