import { cpus } from 'node:os'
import { app } from 'electron'
import type { MachineFacts } from './measurement.ts'

export const thisMachine = (): MachineFacts => ({
  version: app.getVersion(),
  electron: process.versions.electron,
  model: cpus()[0]?.model ?? '',
  cores: cpus().length,
})
