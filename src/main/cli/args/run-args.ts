/** @file The commands that don't use the library: `swap`, `people` and `verify`. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { command, type Read } from './read-args.ts'
import { makingNames, readFaces, readMaking, readTarget } from './swap-args.ts'

const swapForm = {
  options: ['out', 'video', 'target', 'title', ...makingNames],
  repeated: ['face', 'cast', 'range'],
}

export const runCommands = {
  swap: command(swapForm, readSwap),
  people: command({ options: ['out'], words: [1, 1], missing: m.cli_people_missing }, ({ word, value, path }) => {
    const out = value('out')
    return {
      video: path(word),
      /** Folder for pictures of the faces. */
      out: out === null ? null : path(out),
    }
  }),
  /** The certificate of this copy of Mien is in the data folder. */
  verify: command({ words: [1, Infinity], missing: m.cli_verify_missing }, ({ positionals, path }) => ({
    files: positionals.map(path),
  })),
}

function readSwap(given: Read) {
  const { value, all, path } = given
  const faces = readFaces(all('face'), all('cast'), path)
  const out = path(given.needed('out'))
  const title = value('title')?.trim()
  return {
    ...{ faces, out, ...readMaking(given, value) },
    /** A video, or a picture. */
    video: path(readTarget(value('target'), value('video'))),
    title: title ? title.slice(0, 200) : null,
  }
}
