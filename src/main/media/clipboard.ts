/**
 * @file Clipboard content for a slot: a file, a picture or text. Electron 45 has the asynchronous Clipboard API. An
 * older runtime, used where the official one is not available, has the synchronous one. Both are detected by feature.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { clipboard, type NativeImage } from 'electron'
import { pathInText } from './path-in-text.ts'

/** The used part of Electron's clipboard before 45. */
interface SynchronousClipboard {
  readImage: () => NativeImage
  readBuffer: (format: string) => Buffer
  availableFormats: () => string[]
}

function synchronous(): SynchronousClipboard | null {
  // The types are those of Electron 45, which removed these methods.
  const candidate = clipboard as unknown as Partial<SynchronousClipboard>
  const { readImage, readBuffer, availableFormats } = candidate
  return readImage && readBuffer && availableFormats ? { readImage, readBuffer, availableFormats } : null
}

const fileFormats = [
  'text/uri-list',
  'electron application/osclipboard;format="text/uri-list"',
  'electron application/osclipboard;format="public.file-url"',
]

/** Text of the first available format; null when there is none. */
async function firstText(formats: readonly string[]): Promise<string | null> {
  const old = synchronous()
  if (old) {
    const there = formats.find((format) => old.availableFormats().includes(format))
    return there === undefined ? null : old.readBuffer(there).toString()
  }
  for (const item of await clipboard.read()) {
    const there = formats.find((format) => item.types.includes(format))
    if (there === undefined) continue
    const value = await item.getType(there)
    if (value instanceof Blob) return value.text()
  }
  return null
}

/** Path of a copied file or of a path copied as text; null when there is none. */
export async function pastedPath(): Promise<string | null> {
  const list = await firstText(fileFormats)
  const first = list?.split(/\r?\n/).find((line) => line.startsWith('file:'))
  try {
    if (first !== undefined) return fileURLToPath(first)
  } catch {
    return null
  }
  const path = pathInText(await pastedText(), homedir())
  return path !== null && existsSync(path) ? path : null
}

/** The clipboard's picture as PNG; null when there is none. */
export async function pastedPicture(): Promise<Uint8Array | null> {
  const old = synchronous()
  if (old) {
    const image = old.readImage()
    return image.isEmpty() ? null : image.toPNG()
  }
  for (const item of await clipboard.read()) {
    if (!item.types.includes('image/png')) continue
    const value = await item.getType('image/png')
    if (value instanceof Blob) return new Uint8Array(await value.arrayBuffer())
  }
  return null
}

/** Trimmed text of the clipboard; empty when there is none. */
export const pastedText = async (): Promise<string> => (await clipboard.readText()).trim()
