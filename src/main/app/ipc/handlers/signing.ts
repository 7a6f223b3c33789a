/** @file IPC handlers for who signs results. */
import { readFile, stat } from 'node:fs/promises'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { maxPemChars } from '../../../provenance/signing-identity.ts'
import { checkReadable, fileFailure } from '../../../machine/disk/file-failure.ts'
import { chooseFiles } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

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
      await identity.useOrganisation(await textOf(chosen), passphrase)
      chosen = null
      return identity.view()
    },
    useOwn: async () => {
      await identity.useOwn()
      return identity.view()
    },
  }
}

/** @throws MienError `bad-certificate`, codes of `checkReadable` */
async function textOf(path: string): Promise<string> {
  await checkReadable(path)
  if ((await stat(path)).size > maxPemChars) throw new MienError('bad-certificate', { reason: 'unreadable' })
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw fileFailure(error)
  })
}
