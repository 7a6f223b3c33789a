/** @file Network and sleep state of the computer, from Electron. */
import type { Net, PowerMonitor } from 'electron'

export type SystemEvent = 'online' | 'offline' | 'suspend' | 'resume'

/** Network and sleep state of the computer. */
export interface SystemStatus {
  isOnline(): boolean
  /** Returns its unsubscribe function. */
  onChange(listener: (event: SystemEvent) => void): () => void
}

export const alwaysOnline: SystemStatus = { isOnline: () => true, onChange: () => () => undefined }

/** Polling interval: Chromium reports network changes to pages but not to main. */
const lookMs = 3000

interface System {
  net: Pick<Net, 'isOnline'>
  powerMonitor: PowerMonitor
}

/** Call once, after the app is ready. `net.isOnline` returns false only if there is certainly no network. */
export function openSystemStatus({ net, powerMonitor }: System): SystemStatus {
  const listeners = new Set<(event: SystemEvent) => void>()
  const emit = (event: SystemEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const isOnline = (): boolean => net.isOnline()
  let online = isOnline()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    if (isOnline() === online) return
    online = !online
    emit(online ? 'online' : 'offline')
  }
  powerMonitor.on('suspend', () => emit('suspend'))
  powerMonitor.on('resume', () => emit('resume'))
  return {
    isOnline,
    onChange: (listener) => {
      if (listeners.size === 0) {
        online = isOnline()
        timer = setInterval(look, lookMs)
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
  }
}
