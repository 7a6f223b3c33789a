import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { measurementSchema, type Measurement } from '@shared/engine/benchmark.ts'

const fileSchema = z.object({ machine: measurementSchema })

/** The measurement stored in this data folder's settings, read without changing them; null if missing or unreadable. */
export function storedMeasurement(dataDir: string): Measurement | null {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8'))).machine
  } catch {
    return null
  }
}
