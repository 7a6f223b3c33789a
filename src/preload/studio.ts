/** @file Puts `window.mien` on the studio page: the contract's members and nothing else. */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { channel, contract } from '@shared/ipc.ts'

type Kind = 'call' | 'file' | 'event'
const groups: Record<string, Record<string, { readonly kind: Kind }>> = contract

function member(kind: Kind, name: string): (input?: unknown) => unknown {
  if (kind === 'call') return (argument) => ipcRenderer.invoke(name, argument)
  // Only a file that the user dropped has a path here; one that a script made has none ("").
  if (kind === 'file') return (file) => ipcRenderer.invoke(name, { path: webUtils.getPathForFile(file as File) })
  return (input) => {
    // The page's own type says so, and a page that lies hurts only itself.
    const listener = input as (payload: unknown) => void
    // The event object is kept back: it would hand the page its sender.
    const deliver = (_event: unknown, payload: unknown): void => {
      listener(payload)
    }
    ipcRenderer.on(name, deliver)
    return () => {
      ipcRenderer.off(name, deliver)
    }
  }
}

const bridge = Object.fromEntries(
  Object.entries(groups).map(([group, members]) => [
    group,
    Object.fromEntries(
      Object.entries(members).map(([method, { kind }]) => [method, member(kind, channel(group, method))]),
    ),
  ]),
)

contextBridge.exposeInMainWorld('mien', bridge)
