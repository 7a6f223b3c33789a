/** @file Puts `window.mien` on the studio page: the contract's members and nothing else. */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { channel, contract } from '@shared/ipc.ts'

type Member = (input?: unknown) => unknown

function member(kind: 'call' | 'file' | 'event', name: string): Member {
  if (kind === 'call') return (argument) => ipcRenderer.invoke(name, argument)
  // Only a file that the user dropped has a path here; one that a script made has none ("").
  if (kind === 'file') return (file) => ipcRenderer.invoke(name, { path: webUtils.getPathForFile(file as File) })
  return (listener) => {
    // The event object is kept back: it would hand the page its sender.
    const deliver = (_event: unknown, payload: unknown): void => {
      if (typeof listener === 'function') listener(payload)
    }
    ipcRenderer.on(name, deliver)
    return () => {
      ipcRenderer.off(name, deliver)
    }
  }
}

const bridge = Object.fromEntries(
  Object.entries(contract).map(([group, members]) => [
    group,
    Object.fromEntries(
      Object.entries(members).map(([method, { kind }]) => [method, member(kind, channel(group, method))]),
    ),
  ]),
)

contextBridge.exposeInMainWorld('mien', bridge)
