/** @file IPC handlers for consents: dialogs, releases, exports. */
import { randomUUID } from 'node:crypto'
import { basename, extname, join } from 'node:path'
import { app, shell } from 'electron'
import type { ReleaseChoice } from '@shared/tasks/consent.ts'
import { MienError, withDetails } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { safeName } from '@shared/files/name-template.ts'
import { checkRelease } from '../../../media/consent/consents.ts'
import { exportConsents } from '../../../media/consent/export-consents.ts'
import { chooseFiles, saveWhereChosen } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

/** Endings of files that their default program shows. Any other file could be a program. */
const shown = new Set(
  '.pdf .jpg .jpeg .png .webp .gif .tif .tiff .heic .avif .bmp .txt .rtf .odt .docx .mp3 .m4a .wav .mp4 .mov'.split(
    ' ',
  ),
)

export function consentsHandlers({ context, window }: HandlerDeps): GroupHandlers<'consents'> {
  const { consents, media, tasks } = context
  /** Paths of chosen files, by their tokens. */
  const chosen = new Map<string, string>()
  const choose = async (path: string): Promise<ReleaseChoice> => {
    const name = basename(path)
    const sizeBytes = await checkRelease(path).catch((error: unknown) => {
      throw withDetails(error, { name })
    })
    const token = randomUUID()
    chosen.set(token, path)
    return { token, name, sizeBytes }
  }
  const pathOf = (token: string): string => {
    const path = chosen.get(token)
    if (path === undefined) throw new MienError('not-found', { id: token })
    return path
  }
  return {
    list: () => consents.list(),
    defaultName: () => ({ name: consents.defaultName }),
    of: ({ faceIds }) => Promise.all(faceIds.map((id) => consents.find(media.faceKey(id)))),
    chooseRelease: async () => {
      const [path] = await chooseFiles(window(), { properties: ['openFile'] })
      return path === undefined ? null : choose(path)
    },
    dropRelease: ({ path }) => choose(path),
    save: async ({ faces, release, ...details }) => {
      await consents.save(faces, details, release == null ? release : pathOf(release))
    },
    withdraw: ({ face }) => ({ taskIds: consents.withdraw(face) }),
    restore: ({ face, taskIds }) => {
      consents.restore(face)
      for (const id of taskIds) tasks.retry(id)
    },
    giveAgain: ({ face }) => consents.giveAgain(face),
    openRelease: async ({ face }) => {
      const path = consents.releasePath(face)
      if (!shown.has(extname(path))) {
        shell.showItemInFolder(path)
        return
      }
      const problem = await shell.openPath(path)
      if (problem !== '') throw new MienError('open-failed', { name: consents.get(face).release?.name ?? '' })
    },
    exportFile: async ({ faces, format }) => {
      const all = faces.length > 0 ? faces : media.consents.faces()
      const [only] = all
      const name = all.length === 1 && only !== undefined ? safeName(consents.get(only).name) : m.consents()
      const options = {
        defaultPath: join(app.getPath('documents'), `${safeName(m.consent_file({ name }))}.${format}`),
        filters: [{ name: format.toUpperCase(), extensions: [format] }],
      }
      return saveWhereChosen(window(), options, (path) =>
        exportConsents(path, { faces: all, format, store: media.consents, consents }),
      )
    },
  }
}
