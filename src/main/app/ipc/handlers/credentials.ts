/** @file IPC handlers for the credentials of files. */
import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { MienError } from '@shared/errors.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { GivenFile, Verification } from '@shared/files/verification.ts'
import { checkFile, shownName, verifyFile, type Verify } from '../../../provenance/verify-file.ts'
import { onFile, readSmallText } from '../../../machine/disk/disk-errors.ts'
import { typeOfFile } from '../../../machine/disk/files.ts'
import { chooseFiles } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { maxPemChars } from '../../../provenance/signing-identity.ts'

export function credentialsHandlers({ context, window }: HandlerDeps): GroupHandlers<'credentials'> {
  const { library, media, tasks } = context
  const verify: Verify = (path, signal) => context.credentials.verify(path, signal)
  let given: { token: string; path: string; mediaId: string | null; task: Task | null; abort: AbortController } | null =
    null

  const forget = (): void => {
    given?.abort.abort(new MienError('cancelled'))
    if (given?.mediaId != null) media.dropTemporary(given.mediaId)
    given = null
  }

  /** Only pictures and videos get a media id: the page could read other files with it. */
  async function take(path: string, task: Task | null = null): Promise<GivenFile> {
    forget()
    await checkFile(path)
    const family = (await onFile(typeOfFile(path)))?.family
    const kind = family === 'picture' || family === 'video' ? family : null
    const { size } = await stat(path)
    const mediaId = kind === null ? null : media.addTemporary(path)
    given = { token: randomUUID(), path, mediaId, task, abort: new AbortController() }
    return {
      ...{ token: given.token, name: shownName(path), sizeBytes: size },
      media: kind === null || mediaId === null ? null : { id: mediaId, kind },
    }
  }

  /** Pictures of the library, for the file of a swap: of the video, and of the faces with the same content. */
  function thumbnailsOf({ ingredients }: Verification, task: Task | null): (string | null)[] {
    const faces =
      task === null ? [] : facesOf(task).map(({ id, thumbnailId }) => ({ id: thumbnailId, of: media.sha256(id) }))
    return ingredients.map(({ role, sha256 }) => {
      if (task === null) return null
      if (role === 'parent') return task.video.coverId
      return faces.find(({ of }) => sha256 !== null && of === sha256)?.id ?? null
    })
  }

  return {
    drop: ({ path }) => take(path),
    choose: async () => {
      const [path] = await chooseFiles(window(), { properties: ['openFile'] })
      return path === undefined ? null : take(path)
    },
    ofSwap: async ({ taskId }) => {
      const task = tasks.get(taskId)
      const path = task.result && media.path(task.result.mediaId)
      if (path === null) throw new MienError('not-found', { id: taskId })
      return take(path, task)
    },
    verify: async ({ token }) => {
      if (given?.token !== token) throw new MienError('not-found', { id: token })
      const { path, task, abort } = given
      const verification = await verifyFile(path, verify, abort.signal)
      const isOurs = verification.signer?.kind === 'this-copy' && verification.ingredients.length > 0
      return { verification, thumbnails: thumbnailsOf(verification, isOurs ? (task ?? library.withFile(path)) : null) }
    },
    leave: forget,
  }
}

const facesOf = ({ face, pictures, cast }: Task): Task['face'][] =>
  [{ face, pictures }, ...cast].flatMap((each) => [each.face, ...each.pictures])

export function signingHandlers({ context: { identity }, window }: HandlerDeps): GroupHandlers<'signing'> {
  /** The file that was chosen last, for its password. */
  let chosen: string | null = null
  const choose = async (): Promise<string | null> => {
    const filters = [{ name: m.dialog_certificates(), extensions: ['pem', 'crt', 'cer', 'key'] }]
    const [path] = await chooseFiles(window(), { filters, properties: ['openFile'] })
    return path ?? null
  }
  return {
    view: () => identity.view(),
    useCertificate: async ({ passphrase }) => {
      if (passphrase === null || chosen === null) chosen = await choose()
      if (chosen === null) return null
      const tooLarge = new MienError('bad-certificate', { reason: 'unreadable' })
      await identity.useOrganisation(await readSmallText(chosen, maxPemChars, tooLarge), passphrase)
      chosen = null
      return identity.view()
    },
    useOwn: async () => {
      await identity.useOwn()
      return identity.view()
    },
  }
}
