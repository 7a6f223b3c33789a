/** @file Writes consents to a file. The PDF is printed by Chromium from a hidden page without scripts or a network. */
import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { BrowserWindow, session } from 'electron'
import type { ConsentFormat } from '@shared/tasks/consent.ts'
import { getLocale } from '@shared/i18n/paraglide/runtime.js'
import { lockSession } from '../../pages/lock-session.ts'
import { isHash, type ConsentStore } from '../consent-store.ts'
import { saveStream } from '../../machine/transfer/save-stream.ts'
import { exportHtml, exportJson, faceRecord, type FaceRecord } from './consent-record.ts'
import type { Consents } from './consents.ts'

const address = 'app://consents/'
const policy = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/**
 * @param faces in this order
 * @throws MienError codes of `saveStream`
 */
export async function exportConsents(
  path: string,
  {
    faces,
    format,
    store,
    consents,
  }: {
    faces: readonly string[]
    format: ConsentFormat
    store: ConsentStore
    consents: Pick<Consents, 'pathOf' | 'picturePath'>
  },
): Promise<void> {
  const records: FaceRecord[] = []
  for (const face of faces) records.push(await faceRecord(face, store, consents))
  const now = Date.now()
  const bytes = format === 'json' ? Buffer.from(exportJson(records, now)) : await printed(records, consents, now)
  try {
    await saveStream([bytes], path, { total: bytes.length, sync: true })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function printed(
  records: readonly FaceRecord[],
  consents: Pick<Consents, 'picturePath'>,
  now: number,
): Promise<Buffer> {
  const pictures = new Map<string, string>()
  for (const { face } of records) {
    const picture = isHash(face) ? consents.picturePath(face) : null
    if (picture !== null) pictures.set(`${address}${face}.jpg`, picture)
  }
  const pictured = new Set(records.map(({ face }) => face).filter((face) => pictures.has(`${address}${face}.jpg`)))
  const html = exportHtml(records, { language: getLocale(), now, pictured })
  const own = session.fromPartition(`consents-${randomUUID()}`)
  own.protocol.handle('app', async ({ url }) => {
    const headers = { 'content-security-policy': policy, 'x-content-type-options': 'nosniff' }
    if (url === address)
      return new Response(html, { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } })
    const picture = pictures.get(url)
    const content = picture === undefined ? null : await readFile(picture).catch(() => null)
    if (content === null) return new Response(null, { status: 404 })
    return new Response(new Uint8Array(content), { headers: { ...headers, 'content-type': 'image/jpeg' } })
  })
  lockSession(own, 'consents', false)
  const window = new BrowserWindow({
    ...{ show: false, skipTaskbar: true, focusable: false },
    webPreferences: {
      ...{ session: own, sandbox: true, contextIsolation: true, nodeIntegration: false, javascript: false },
      spellcheck: false,
    },
  })
  try {
    await window.loadURL(address)
    return await window.webContents.printToPDF({ pageSize: 'A4', printBackground: true, generateTaggedPDF: true })
  } finally {
    window.destroy()
  }
}
