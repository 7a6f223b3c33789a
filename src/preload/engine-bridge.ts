/** @file Bridge of the engine window: requests and cancels in, events out. */
import { contextBridge, ipcRenderer } from 'electron'
import { engineChannels } from '@shared/engine/engine-channels.ts'

const bridge = {
  onRequest(listener: (request: unknown) => void): void {
    ipcRenderer.on(engineChannels.request, (_event, request: unknown) => listener(request))
  },
  onCancel(listener: (id: unknown) => void): void {
    ipcRenderer.on(engineChannels.cancel, (_event, id: unknown) => listener(id))
  },
  emit(event: unknown): void {
    ipcRenderer.send(engineChannels.event, event)
  },
}

export type EngineBridge = typeof bridge

contextBridge.exposeInMainWorld('engine', bridge)
