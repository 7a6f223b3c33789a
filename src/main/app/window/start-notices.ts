/** @file Notices about problems found at startup. */
import { app } from 'electron'
import type { AppContext } from '../app-context.ts'
import type { Logger } from '../../machine/log/log.ts'
import { redact } from '../../machine/log/redact.ts'
import type { PolicyProblem } from '../../machine/policy/policy.ts'
import type { Notices } from '../notices.ts'

/** @param problems mistakes in the policy */
export function addStartNotices(
  context: AppContext,
  problems: readonly PolicyProblem[],
  notices: Notices,
  log: Logger,
): void {
  for (const [index, { where, problem, names }] of problems.entries()) {
    log.warn(`Set-up of this computer: ${where}: ${problem} ${names.join(', ')}`)
    notices.add({ id: `policy:${String(index)}`, kind: 'policy', where: redact(where), problem, names })
  }
  // An AppImage's launcher disables the sandbox where the system doesn't support it.
  if (app.isPackaged && app.commandLine.hasSwitch('no-sandbox')) notices.add({ id: 'no-sandbox', kind: 'no-sandbox' })
  if (context.settings.backup !== null)
    notices.add({ id: 'settings-reset', kind: 'settings-reset', backup: context.settings.backup })
  if (context.libraryBackup !== null)
    notices.add({ id: 'library-reset', kind: 'library-reset', backup: context.libraryBackup })
}
