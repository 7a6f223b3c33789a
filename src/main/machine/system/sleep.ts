/** @file Puts the computer to sleep with the system's own command. */
import { run, type Run } from './run-program.ts'

const login = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'] as const

/** On Linux only where logind lets this user suspend without a password. */
export async function canSleep(platform: NodeJS.Platform = process.platform, execute: Run = run): Promise<boolean> {
  if (platform === 'darwin' || platform === 'win32') return true
  if (platform !== 'linux') return false
  const answer = await execute('busctl', ['call', ...login, 'CanSuspend']).catch(() => null)
  return answer?.stdout.includes('"yes"') ?? false
}

export async function sleepNow(platform: NodeJS.Platform = process.platform, execute: Run = run): Promise<void> {
  if (platform === 'darwin') await execute('pmset', ['sleepnow'])
  else if (platform === 'win32') await execute('rundll32.exe', ['powrprof.dll,SetSuspendState', '0,1,0'])
  else await execute('busctl', ['call', ...login, 'Suspend', 'b', 'false'])
}
