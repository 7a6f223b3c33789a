import { cpus } from 'node:os'
import { app } from 'electron'
import type { ComputerFacts } from './measurement.ts'

export const thisComputer = (): ComputerFacts => ({
  version: app.getVersion(),
  electron: process.versions.electron,
  model: cpus()[0]?.model ?? '',
  cores: cpus().length,
})
