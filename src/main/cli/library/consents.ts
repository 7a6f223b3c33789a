/** @file Commands for consents, and the consents that commands give. */
import { join } from 'node:path'
import type { ConsentView } from '@shared/tasks/consent.ts'
import { MienError, usage } from '@shared/errors.ts'
import { formatDate } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { AppContext } from '../../app/app-context.ts'
import { sha256Of } from '../../machine/disk/files.ts'
import { faceRecord, recordJson } from '../../media/consent/consent-record.ts'
import { Consents } from '../../media/consent/consents.ts'
import { exportConsents } from '../../media/consent/export-consents.ts'
import type { ConsentStore } from '../../media/consent-store.ts'
import { MediaStore } from '../../media/media-store.ts'
import { hasConsents, nameDamage, openForReading } from '../../swaps/store/library-db.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { CommandOf } from '../args/args.ts'
import type { FaceName } from '../args/library-args.ts'
import { checkOut } from '../output/check-paths.ts'
import { plain } from '@shared/plain.ts'
import { print } from '../output/output-lines.ts'
import type { ConsentArgs } from '../args/swap-args.ts'

/** Gives the consents for pictures. The user of the command line is responsible for the faces and can't be asked. */
export async function giveConsents(
  { consents }: Pick<AppContext, 'consents'>,
  ids: readonly string[],
  { by, purpose, release }: ConsentArgs,
): Promise<void> {
  for (const id of ids) consents.confirm(id, true)
  const details = { ...(by === null ? {} : { by }), ...(purpose === null ? {} : { purpose }) }
  if (by !== null || purpose !== null || release !== null) await consents.save(ids, details, release ?? undefined)
}

/** @throws MienError `consent-withdrawn` if the consent for a face was withdrawn in the library of `dataDir` */
export function refuseWithdrawn(dataDir: string, faces: readonly { key: string; name: string }[]): void {
  let found: { name: string } | undefined
  try {
    const db = openForReading(join(dataDir, 'library.db'))
    if (db === null) return
    try {
      const { consents } = new MediaStore(db)
      if (hasConsents(db)) found = faces.find(({ key }) => (consents.of(key)?.withdrawnAt ?? null) !== null)
    } finally {
      db.close()
    }
  } catch {
    // The command doesn't use the library, so one that can't be read doesn't stop it.
    return
  }
  if (found) throw new MienError('consent-withdrawn', { name: found.name })
}

/** The consent commands that change nothing. @throws MienError `data-damaged`, `data-newer`, `not-found`, `usage` */
export async function readConsents(
  command: CommandOf<'consent list' | 'consent show' | 'consent export'>,
  dataDir: string,
): Promise<number> {
  if (command.command === 'consent export') await checkOut(command.out, [])
  const db = openForReading(join(dataDir, 'library.db'))
  if (db === null || !hasConsents(db)) {
    db?.close()
    if (command.command === 'consent list') return exitCodes.done
    throw noConsent(command.command === 'consent show' ? command.face.text : (command.faces[0]?.text ?? ''))
  }
  const media = new MediaStore(db)
  const store = media.consents
  const consents = new Consents({
    ...{ media, dir: join(dataDir, 'consents'), name: { get: () => '', set: () => undefined } },
    ...{ stopSwaps: () => [], onChanged: () => undefined, now: Date.now, log: () => undefined },
  })
  try {
    switch (command.command) {
      case 'consent list':
        for (const view of await consents.list()) print(command.json, viewJson(view), viewLine(view))
        break
      case 'consent show': {
        const face = await faceNamed(store, command.face)
        const record = recordJson(await faceRecord(face, store, consents))
        const lines = JSON.stringify(record, null, 2).split('\n')
        print(command.json, record, lines.map((line) => plain(line)).join('\n'))
        break
      }
      case 'consent export': {
        const faces: string[] = []
        for (const name of command.faces) faces.push(await faceNamed(store, name))
        const { out, format } = command
        const all = faces.length > 0 ? faces : store.faces()
        await exportConsents(out, { faces: all, format, store, consents })
        print(command.json, { output: out, faces: all.length }, out)
      }
    }
  } catch (error) {
    throw nameDamage(error)
  } finally {
    db.close()
  }
  return exitCodes.done
}

export async function withdrawConsent(
  { consents, media }: AppContext,
  { face: name, json }: CommandOf<'consent withdraw'>,
): Promise<number> {
  const face = await faceNamed(media.consents, name)
  const ended = consents.withdraw(face)
  print(json, { face, withdrawn: true, ended }, m.consent_withdrawn({ name: plain(consents.get(face).name) }))
  return exitCodes.done
}

const noConsent = (text: string): MienError => usage(m.cli_no_consent({ name: plain(text).slice(0, 200) }))

/** The hash of a face that has a consent. @throws MienError `usage` */
async function faceNamed(store: ConsentStore, { text, path }: FaceName): Promise<string> {
  const faces = store.faces()
  const start = await sha256Of(path).catch(() => text.toLowerCase())
  const [face, ...others] = start.length < 4 ? [] : faces.filter((each) => each.startsWith(start))
  if (face === undefined || others.length > 0) throw noConsent(text)
  return face
}

const time = (ms: number): string => new Date(ms).toISOString()

const viewJson = ({ face, name, origin, at, withdrawnAt, by, purpose, note, release, swaps }: ConsentView) => ({
  ...{ face, name, origin, givenBy: by, givenAt: origin === null ? time(at) : null, purpose, note, release },
  ...{ withdrawnAt: withdrawnAt === null ? null : time(withdrawnAt), swaps },
})

function viewLine({ face, name, origin, at, withdrawnAt, by, purpose, swaps }: ConsentView): string {
  const given = origin === 'sample' ? m.face_of_sample() : formatDate(at)
  const withdrawn = withdrawnAt === null ? '' : m.consent_withdrawn_on({ day: formatDate(withdrawnAt) })
  const parts = [face.slice(0, 12), name, given, by, purpose, m.swaps({ count: swaps }), withdrawn]
  return parts
    .filter((part) => part !== '')
    .map((line) => plain(line))
    .join('  ')
}
