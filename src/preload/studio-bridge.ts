/** @file Exposes `window.mien` on the studio page: only the contract's members. */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { channel } from '@shared/ipc/calls.ts'
import { contract } from '@shared/ipc/contract.ts'

type Kind = 'call' | 'file' | 'files' | 'event'
const groups: Record<string, Record<string, { readonly kind: Kind }>> = contract

function member(kind: Kind, name: string): (input?: unknown) => unknown {
  if (kind === 'call') return (argument) => ipcRenderer.invoke(name, argument)
  // Only files dropped by the user have a path; for files created by a script it is "".
  const pathOf = (file: unknown): string => webUtils.getPathForFile(file as File)
  if (kind === 'files') return (files) => ipcRenderer.invoke(name, { paths: (files as File[]).map(pathOf) })
  if (kind === 'file') return (file) => ipcRenderer.invoke(name, { path: pathOf(file) })
  return (input) => {
    // Not validated here; a wrong type only affects the calling page.
    const listener = input as (payload: unknown) => void
    // Don't pass the event object: it would expose the sender to the page.
    const deliver = (_event: unknown, payload: unknown): void => listener(payload)
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
