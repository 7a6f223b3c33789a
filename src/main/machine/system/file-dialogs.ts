/** @file The system's dialogs for files, modal to a window if there is one. */
import { dialog, type BrowserWindow, type OpenDialogOptions, type SaveDialogOptions } from 'electron'

/** @returns the paths; none if the user cancels */
export async function chooseFiles(parent: BrowserWindow | null, options: OpenDialogOptions): Promise<string[]> {
  const { filePaths } = await (parent ? dialog.showOpenDialog(parent, options) : dialog.showOpenDialog(options))
  return filePaths
}

/** @returns where to save; null if the user cancels */
export async function chooseTarget(parent: BrowserWindow | null, options: SaveDialogOptions): Promise<string | null> {
  const chosen = await (parent ? dialog.showSaveDialog(parent, options) : dialog.showSaveDialog(options))
  return chosen.canceled || chosen.filePath === '' ? null : chosen.filePath
}

/** Asks where to save, and calls `write` with the path. `saved` false: the user cancelled. */
export async function saveWhereChosen(
  parent: BrowserWindow | null,
  options: SaveDialogOptions,
  write: (path: string) => Promise<unknown>,
): Promise<{ saved: boolean }> {
  const path = await chooseTarget(parent, options)
  if (path !== null) await write(path)
  return { saved: path !== null }
}
