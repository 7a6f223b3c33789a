import { describe, expect, it } from 'vitest'
import { fileType } from '@shared/files/file-type.ts'
import { mediaKindOf } from '@shared/files/media-names.ts'

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? Array.from(part, (char) => char.charCodeAt(0)) : part)),
  )

describe('the first bytes of a file', () => {
  it.each([
    ['picture', 'JPEG', bytes([0xff, 0xd8, 0xff, 0xe0])],
    ['picture', 'GIF', bytes('GIF89a')],
    ['picture', 'HEIC', bytes([0, 0, 0, 24], 'ftypheic')],
    ['picture', 'AVIF', bytes([0, 0, 0, 24], 'ftypavif')],
    ['picture', 'TIFF', bytes('II*', [0, 8, 0, 0, 0])],
    ['picture', 'RAW', bytes('II*', [0, 16, 0, 0, 0], 'CR', [2, 0])],
    ['picture', 'RAW', bytes([0, 0, 0, 24], 'ftypcrx ')],
    ['picture', 'RAW', bytes('FUJIFILMCCD-RAW ')],
    ['picture', 'SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg">')],
    ['picture', 'SVG', bytes('<?xml version="1.0"?>\n<!-- drawn -->\n<svg >')],
    ['video', 'MP4', bytes([0, 0, 0, 32], 'ftypisom')],
    ['video', 'AVI', bytes('RIFF', [0, 0, 0, 0], 'AVI LIST')],
    ['video', 'WMV', bytes([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11])],
    ['video', 'FLV', bytes('FLV', [1, 5])],
    ['video', 'MPEG-1 or MPEG-2', bytes([0, 0, 1, 0xba])],
    ['video', 'RealMedia', bytes('.RMF')],
    ['video', 'MXF', bytes([6, 14, 0x2b, 0x34])],
    ['video', 'Theora', bytes('OggS', [0, 2], new Array<number>(22).fill(0), [0x80], 'theora')],
    ['sound', 'WAV', bytes('RIFF', [0, 0, 0, 0], 'WAVEfmt ')],
    ['document', 'PDF', bytes('%PDF-1.7')],
    ['document', 'ZIP', bytes('PK', [3, 4])],
    ['text', 'text', bytes('#!/bin/sh\necho hello\n')],
    ['text', 'text', bytes('BMX is a sport')],
    ['text', 'text', bytes('The freedom of movement')],
    ['picture', 'BMP', bytes('BM', [0x36, 0, 0x0c, 0, 1, 0, 0, 0, 0x36, 0])],
    ['video', 'QuickTime', bytes([0, 0, 0, 20], 'ftypqt  ')],
    ['video', 'QuickTime', bytes([0, 0, 0, 8], 'wide')],
    ['video', 'WebM', bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84], 'webm')],
    ['video', 'Matroska', bytes([0x1a, 0x45, 0xdf, 0xa3, 0xa3, 0x42, 0x82, 0x88], 'matroska')],
    ['video', 'MPEG-TS', bytes('G', new Array<number>(187).fill(0), 'G')],
  ])('of a %s say that it is %s', (family, name, head) => expect(fileType(head)).toEqual({ family, name }))

  it.each([[[]], [[0, 1, 2]], [[0, 0, 0, 0x18]], [[0x52, 0x49, 0x46, 0x46, 0]]])('%j say nothing', (head) => {
    expect(fileType(Uint8Array.from(head))).toBeNull()
  })
})

it.each([
  ['a.JPG', 'face'],
  ['a.heic', 'face'],
  ['a.b.avi', 'video'],
  ['media.sh', null],
  ['mp4', null],
  ['', null],
])('%s is named like %s', (name, kind) => expect(mediaKindOf(name)).toBe(kind))
