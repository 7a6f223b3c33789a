/** @file Reads the marks of the files that a swap is made from. */
import type { Input } from 'mediabunny'
import { chunksOf } from '../pictures/png.ts'
import { VersionedFile } from '../versioned-file.ts'
import { joinMarks, noMarks, type Marks } from './marks.ts'
import { marksInXmp } from './xmp.ts'

/** @param bytes of a picture */
export function marksOfPicture(bytes: Uint8Array): Marks {
  const text = (data: Uint8Array): string => new TextDecoder().decode(data)
  // Chunks of a PNG file have their key, then a zero. Others have nothing that begins like one.
  const chunks = isPng(bytes) ? [...chunksOf(bytes)].filter(({ type }) => type === 'tEXt' || type === 'iTXt') : []
  const aigc = chunks.flatMap(({ data }) => (text(data.subarray(0, 5)) === 'AIGC\0' ? jsonIn(text(data)) : []))
  return joinMarks([{ ...noMarks, aigc }, marksInXmp(bytes)])
}

const isPng = (bytes: Uint8Array): boolean => bytes[0] === 0x89 && bytes[1] === 0x50

/** Of all of them together. @param urls of pictures */
export async function marksOfPictures(urls: readonly string[], signal: AbortSignal): Promise<Marks> {
  const read = async (url: string): Promise<Marks> => marksOfPicture(await new VersionedFile(url, signal).all())
  return joinMarks(await Promise.all([...new Set(urls)].map(read)))
}

/** The bytes of an animated picture at most; larger ones are read to this length. */
const maxAnimation = 64 * 1024 * 1024

export async function marksOfAnimation(file: VersionedFile): Promise<Marks> {
  return marksOfPicture(await file.read(0, Math.min(maxAnimation, await file.size())))
}

/** @param title if its tags have none */
export async function marksOfVideo(input: Input, file: VersionedFile, title?: string): Promise<Marks> {
  const { raw = {}, ...tags } = await input.getMetadataTags()
  const fields = { ...tags, title: tags.title ?? title }
  const isMp4 = /MP4|QuickTime/.test((await input.getFormat()).name)
  const textOf = (value: unknown): string =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : typeof value === 'string' ? value : ''
  const aigc = jsonIn(textOf(raw['AIGC']))
  const words = wordKeys.flatMap((key): [string, string][] => {
    const value = fields[key]
    return value !== undefined && value !== '' && value.length <= maxValue ? [[key, value]] : []
  })
  const date = Object.entries(raw).find(([name]) => dateName.test(name))?.[1]
  if (typeof date === 'string' && date.length <= maxValue) words.push(['date', date])
  // Where it was recorded stays private. Four letters are the names of fields that iTunes has: the words, and others.
  const keys = Object.entries(raw).flatMap(([name, value]): [string, string][] =>
    isMp4 && name.length > 4 && !/location/i.test(name) && typeof value === 'string' && value.length <= maxValue
      ? [[name, value]]
      : [],
  )
  const inUserData = raw['XMP_'] instanceof Uint8Array ? [raw['XMP_']] : []
  const xmp = [...inUserData, ...(isMp4 ? await xmpBoxes(file) : [])].map(marksInXmp)
  return joinMarks([{ ...noMarks, aigc, keys: Object.fromEntries([...words, ...keys.slice(0, maxKeys)]) }, ...xmp])
}

/** What people write about a video, by names that are the same in all containers. */
const wordKeys = ['title', 'description', 'artist', 'album', 'genre', 'comment'] as const
/** When it was recorded: as texts, because a parsed date may have got a time of day. */
const dateName = /^(©day|date|date_recorded)$/i
/** Devices write about ten short ones. */
const maxValue = 2000
const maxKeys = 100

/** Programs write a JSON text after a key or a size. */
const jsonIn = (text: string): string[] => /\{[^]*\}/.exec(text)?.slice(0, 1) ?? []

/** XMP in a file of boxes is a box with this id (XMP specification, part 3, 1.2.7). */
export const xmpBoxId = Uint8Array.of(0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac) // prettier-ignore
const idBytes = 16
/** Boxes to look at. A fragmented file has thousands. */
const maxBoxes = 200
const maxXmp = 4 * 1024 * 1024

async function xmpBoxes(file: VersionedFile): Promise<Uint8Array[]> {
  const found: Uint8Array[] = []
  const size = await file.size()
  for (let at = 0, count = 0; at + 8 <= size && count < maxBoxes; count += 1) {
    const bytes = await file.read(at, Math.min(size, at + 16 + idBytes))
    const view = new DataView(bytes.buffer)
    const short = view.getUint32(0)
    const isLong = short === 1 && bytes.length >= 16
    const length = isLong ? Number(view.getBigUint64(8)) : short === 0 ? size - at : short
    const head = isLong ? 16 : 8
    if (length < head) break
    const isUuid = String.fromCharCode(...bytes.subarray(4, 8)) === 'uuid'
    if (isUuid && length <= maxXmp && xmpBoxId.every((byte, index) => bytes[head + index] === byte))
      found.push(await file.read(at + head + idBytes, Math.min(size, at + length)))
    at += length
  }
  return found
}
