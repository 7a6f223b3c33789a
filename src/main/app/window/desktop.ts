/** @file Notifications, taskbar and dock of the system, through Electron. */
import { app, nativeImage, Notification, type BrowserWindow, type NativeImage } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Desktop } from './announcer.ts'

export function createDesktop(window: () => BrowserWindow | null): Desktop {
  /** Without a reference, a notification is collected and its click is lost. */
  const shown = new Set<Notification>()
  let overlay: NativeImage | null = null
  return {
    isFocused: () => window()?.isFocused() ?? false,
    notify: ({ title, body, silent, onClick }) => {
      if (!Notification.isSupported()) return
      const notification = new Notification({ title, body, silent })
      const forget = () => shown.delete(notification)
      notification.on('click', () => {
        forget()
        onClick()
      })
      notification.on('close', forget)
      notification.on('failed', forget)
      shown.add(notification)
      notification.show()
    },
    progress: (share) => window()?.setProgressBar(share ?? -1),
    badge: (count) => {
      if (process.platform === 'win32') {
        overlay ??= nativeImage.createFromBitmap(dot(), { width: dotSize, height: dotSize })
        window()?.setOverlayIcon(count > 0 ? overlay : null, count > 0 ? m.notify_finished_many({ count }) : '')
      } else app.setBadgeCount(count)
    },
    attention: (on) => {
      if (process.platform !== 'darwin') window()?.flashFrame(on)
      else if (on) app.dock?.bounce('informational')
    },
  }
}

const dotSize = 16

/** A filled circle, BGRA. */
function dot(): Buffer {
  const pixels = Buffer.alloc(dotSize * dotSize * 4)
  const middle = (dotSize - 1) / 2
  for (let at = 0; at < dotSize * dotSize; at += 1) {
    const distance = Math.hypot((at % dotSize) - middle, Math.floor(at / dotSize) - middle)
    if (distance <= dotSize / 2) pixels.set([0xf0, 0xb4, 0x5c, 0xff], at * 4)
  }
  return pixels
}
