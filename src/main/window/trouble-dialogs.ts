/** @file What the window says when Mien cannot start, or when something failed that nobody foresaw. */
import { app, dialog } from 'electron'
import { toErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'

/** Says why Mien cannot start, and ends it with 1 afterwards or when it is asked to quit meanwhile. Call when the app is ready. */
export function failToStart(error: unknown): void {
  const detail = errorSentence(toErrorBody(error))
  const end = (): void => {
    app.exit(1)
  }
  process.stderr.write(`${m.cannot_start()}: ${detail}\n`)
  app.on('will-quit', end)
  // Not `showErrorBox`: it keeps Mien from ending when the system asks it to.
  dialog.showMessageBox({ type: 'error', title: 'Mien', message: m.cannot_start(), detail }).then(end, end)
}

let isTold = false

/** Says once that something unforeseen failed; Mien keeps running. */
export function sayUnforeseen(): void {
  if (isTold || !app.isReady()) return
  isTold = true
  dialog
    .showMessageBox({
      type: 'error',
      title: 'Mien',
      message: m.unforeseen(),
      detail: m.unforeseen_body(),
      buttons: [m.keep_open(), m.quit()],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    })
    .then(
      ({ response }) => {
        if (response === 1) app.quit()
      },
      () => undefined,
    )
}
