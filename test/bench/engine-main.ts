/**
 * @file The bench's Electron main: one `EngineHost`, told what to do by `MIEN_ENGINE_JOB` (JSON), answering with lines of
 * JSON on stdout.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { EngineHost } from '../../src/main/engine/engine-host.ts'
import { registerSchemes } from '../../src/main/protocol/app-protocol.ts'
import { toErrorBody } from '../../src/shared/errors.ts'

interface Job {
  out: string
  models: string
  steps: { kind: 'face' | 'video' | 'swap'; face?: string; video?: string; dir: string; cancelAfterMs?: number }[]
}

const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

registerSchemes()
// Root on a test machine runs with --no-sandbox, which contradicts this.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()

async function main(): Promise<void> {
  // Our own caller wrote it.
  const job = JSON.parse(process.env['MIEN_ENGINE_JOB'] ?? '{}') as Job
  const host = new EngineHost({
    rendererDir: join(job.out, 'renderer'),
    modelsDir: job.models,
    preload: join(job.out, 'preload/engine.cjs'),
    log: (line) => {
      process.stderr.write(`${line}\n`)
    },
  })
  host.warm()
  for (const { kind, face = '', video = '', dir, cancelAfterMs } of job.steps) {
    mkdirSync(dir, { recursive: true })
    const started = performance.now()
    const signal = cancelAfterMs === undefined ? undefined : AbortSignal.timeout(cancelAfterMs)
    say({ step: kind, dir })
    try {
      const result =
        kind === 'face'
          ? await host.inspectFace(face, dir, signal)
          : kind === 'video'
            ? await host.inspectVideo(video, dir, signal)
            : await host.swap({
                face,
                video,
                dir,
                signal,
                onProgress: (progress) => {
                  say({ progress })
                },
              })
      say({ result, ms: performance.now() - started })
    } catch (error) {
      say({ error: toErrorBody(error), ms: performance.now() - started })
    }
  }
  host.dispose()
  app.exit(0)
}

app.on('window-all-closed', () => undefined)
void app.whenReady().then(main)
