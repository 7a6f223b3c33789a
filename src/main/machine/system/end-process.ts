/** @file Ends the process at once, also while a keychain doesn't answer. */
import { app } from 'electron'
import { isKeychainStuck } from '../keychain/keychain.ts'

/**
 * Ends the process. A thread waiting for an unresponsive keyring would delay that for minutes and then abort the
 * process. In that case exec another program, which ends all threads at once.
 */
export function endProcess(code: number): void {
  if (isKeychainStuck() && process.execve) {
    process.emit('exit', code)
    process.execve('/bin/sh', ['sh', '-c', `exit ${String(code)}`], {})
  }
  app.exit(code)
}
