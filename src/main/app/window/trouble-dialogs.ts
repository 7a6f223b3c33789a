/** @file Dialogs for failed startup and for unexpected errors. */
import { app, dialog } from 'electron'
import { toErrorBody } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'

/**
 * Shows why Mien can't start, then exits with code 1; also exits if asked to quit meanwhile. Call after the app is
 * ready.
 */
export function failToStart(error: unknown): void {
  const end = (): void => app.exit(1)
  app.on('will-quit', end)
  // Loaded here: a start that succeeds would load the texts of all errors before its window.
  void import('@shared/i18n/error-text.ts').then(({ errorSentence }) => {
    const detail = errorSentence(toErrorBody(error))
    process.stderr.write(`${m.cannot_start()}: ${detail}\n`)
    // Not `showErrorBox`: it blocks a quit requested by the system.
    dialog.showMessageBox({ type: 'error', title: 'Mien', message: m.cannot_start(), detail }).then(end, end)
  }, end)
}

let isTold = false

/** Shows a dialog once after an unexpected error; Mien keeps running. */
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
