import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { measurementSchema, type Measurement } from '@shared/machine.ts'

const fileSchema = z.object({ machine: measurementSchema })

/** What a Mien with this data folder measured; its settings are only looked at. Null: nothing, or it cannot be read. */
export function knownMachine(dataDir: string): Measurement | null {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8'))).machine
  } catch {
    return null
  }
}
