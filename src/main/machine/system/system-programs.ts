/** @file Asks programs of the system: to sleep, and whether there is a tray. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

type Run = (file: string, args: readonly string[]) => Promise<{ stdout: string }>

/** Rejects if the program fails or takes longer than ten seconds. */
const run: Run = (file, args) => promisify(execFile)(file, args, { timeout: 10_000, windowsHide: true })

const login = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'] as const

/** On Linux only where logind lets this user suspend without a password. */
export async function canSleep(platform: NodeJS.Platform = process.platform, execute: Run = run): Promise<boolean> {
  if (platform === 'darwin' || platform === 'win32') return true
  if (platform !== 'linux') return false
  const answer = await execute('busctl', ['call', ...login, 'CanSuspend']).catch(() => null)
  return answer?.stdout.includes('"yes"') ?? false
}

export async function sleepNow(): Promise<void> {
  const { platform } = process
  if (platform === 'darwin') await run('pmset', ['sleepnow'])
  else if (platform === 'win32') await run('rundll32.exe', ['powrprof.dll,SetSuspendState', '0,1,0'])
  else await run('busctl', ['call', ...login, 'Suspend', 'b', 'false'])
}

const ask = ['org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameHasOwner'] as const

/**
 * Whether the desktop shows tray items. Electron can't tell on Linux, where some desktops have no tray. There, a tray
 * registers this name on the session bus.
 */
export async function hasTray(platform: NodeJS.Platform = process.platform, execute: Run = run): Promise<boolean> {
  if (platform !== 'linux') return true
  const args = ['--user', 'call', ...ask, 's', 'org.kde.StatusNotifierWatcher']
  const answer = await execute('busctl', args).catch(() => null)
  return answer?.stdout.includes('true') ?? false
}
