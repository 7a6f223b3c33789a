/** @file Puts files on the clipboard, so that they can be pasted in a file manager or another program. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import electron, { clipboard } from 'electron'

/**
 * Formats and their content. A property list on macOS; on Linux a list of URLs, and what Nautilus and others read.
 * Not for Windows: Electron can't write its format for files.
 */
export function fileFormats(paths: readonly string[], platform: NodeJS.Platform): [format: string, content: string][] {
  if (platform === 'darwin') {
    const items = paths.map((path) => `<string>${path.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</string>`)
    const head = '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"'
    const list = `${head} "http://www.apple.com/DTDs/PropertyList-1.0.dtd"><plist version="1.0"><array>${items.join('')}`
    return [['NSFilenamesPboardType', `${list}</array></plist>`]]
  }
  const urls = paths.map((path) => pathToFileURL(path).href)
  return [
    ['text/uri-list', urls.join('\r\n')],
    ['x-special/gnome-copied-files', ['copy', ...urls].join('\n')],
  ]
}

/** The used part of Electron's clipboard before 45, see clipboard.ts. It writes one format only. */
interface SynchronousClipboard {
  writeBuffer?: (format: string, content: Buffer) => void
}

export async function copyFiles(paths: readonly string[]): Promise<void> {
  if (process.platform === 'win32') {
    await setClipboard(paths)
    return
  }
  const formats = fileFormats(paths, process.platform)
  // The types are those of Electron 45.
  const old = clipboard as unknown as SynchronousClipboard
  const [first] = formats
  if (old.writeBuffer && first) {
    old.writeBuffer(first[0], Buffer.from(first[1]))
    return
  }
  const items = Object.fromEntries(
    formats.map(([name, content]) => [`electron application/osclipboard;format="${name}"`, content] as const),
  )
  await clipboard.write([new electron.ClipboardItem(items)])
}

const script =
  '[Console]::InputEncoding = [Text.UTF8Encoding]::new($false); ' +
  'Set-Clipboard -LiteralPath ([Console]::In.ReadToEnd() -split "`n")'

/** Windows comes with PowerShell 5. The paths go through stdin, so that none is read as a command. */
function setClipboard(paths: readonly string[]): Promise<void> {
  const program = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32/WindowsPowerShell/v1.0/powershell.exe')
  const child = spawn(program, ['-NoProfile', '-NonInteractive', '-Command', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  })
  child.stdin.end(paths.join('\n'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`PowerShell ended with code ${String(code)}`))
    })
  })
}
