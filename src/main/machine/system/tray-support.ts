/** @file Whether the desktop shows tray items. Electron can't tell on Linux, where some desktops have no tray. */
import { run, type Run } from './run-program.ts'

const ask = ['org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameHasOwner'] as const

/** On Linux a tray registers this name on the session bus. */
export async function hasTray(platform: NodeJS.Platform = process.platform, execute: Run = run): Promise<boolean> {
  if (platform !== 'linux') return true
  const args = ['--user', 'call', ...ask, 's', 'org.kde.StatusNotifierWatcher']
  const answer = await execute('busctl', args).catch(() => null)
  return answer?.stdout.includes('true') ?? false
}
