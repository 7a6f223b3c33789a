/** @file The computer's network and sleep, as Electron tells them. */
import { net, powerMonitor } from 'electron'
import type { Surroundings, SurroundingsEvent } from './tasks/ports.ts'

/** Chromium tells pages when the network comes and goes, but not main; so main looks. */
const lookMs = 3000

/** Call when the app is ready. `net.isOnline` says false only when there is surely no network. */
export function openSurroundings(): Surroundings {
  const isOnline = (): boolean => net.isOnline()
  return {
    isOnline,
    onChange: (listener) => {
      let online = isOnline()
      const look = (): void => {
        if (isOnline() === online) return
        online = !online
        listener(online ? 'online' : 'offline')
      }
      const timer = setInterval(look, lookMs)
      const tell = (event: SurroundingsEvent) => (): void => {
        listener(event)
      }
      const suspend = tell('suspend')
      const resume = tell('resume')
      powerMonitor.on('suspend', suspend).on('resume', resume)
      return () => {
        clearInterval(timer)
        powerMonitor.off('suspend', suspend).off('resume', resume)
      }
    },
  }
}
