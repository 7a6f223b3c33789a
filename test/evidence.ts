/** @file What a failed or hung end-to-end test leaves to look at: a picture of its window, and the app's log. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach } from 'vitest'
import { inRoot } from '../scripts/lib/run.mjs'
import { openStudios } from './e2e/app.ts'

/** Emptied at the start of a run (scripts/test.mjs). */
const folder = inRoot('.cache', 'failed-tests')
/** A page that hangs gives no picture. */
const pictureMs = 10_000

beforeEach(({ task, onTestFailed }) => {
  onTestFailed(async () => {
    for (const { page, dataDir } of openStudios) {
      mkdirSync(folder, { recursive: true })
      const file = join(folder, task.fullName.replaceAll(/[^\w-]+/g, '-').slice(0, 120))
      const picture = page.screenshot({ path: `${file}.png`, timeout: pictureMs }).then(
        () => `${file}.png`,
        () => 'no picture: its page gave none',
      )
      const log = join(dataDir, 'logs', 'mien.log')
      if (existsSync(log)) copyFileSync(log, `${file}.log`)
      process.stderr.write(`${task.fullName} failed. Its window and log: ${await picture}, ${file}.log\n`)
    }
  })
})
