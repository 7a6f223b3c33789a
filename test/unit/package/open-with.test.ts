/** @file The system offers Mien for every file that the composer reads. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import config from '../../../electron-builder.mjs'
import { readablePictures, readableVideos } from '../../../src/shared/files/media-names.ts'
import { mimeTypeOf } from '../../../src/main/machine/transfer/mime-types.ts'

const extensions = [...readablePictures, ...readableVideos]

it('on Windows, without becoming the default program', () => {
  const script = readFileSync(new URL('../../../resources/windows/open-with.nsh', import.meta.url), 'utf8')
  expect([...script.matchAll(/supportType "(\w+)"/g)].map(([, extension]) => extension)).toEqual(extensions)
  expect(config.win?.fileAssociations ?? config.fileAssociations).toBeUndefined()
})

it('on macOS as an alternative, and on Linux by type', () => {
  const associations = [config.mac?.fileAssociations ?? []].flat()
  expect(associations.flatMap(({ ext }) => ext)).toEqual(extensions)
  expect(associations.every(({ rank }) => rank === 'Alternate')).toBe(true)
  const types = new Set(extensions.map((extension) => mimeTypeOf(`file.${extension}`)))
  expect(new Set(config.linux?.mimeTypes)).toEqual(types)
})
