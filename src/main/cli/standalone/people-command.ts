/** @file `mien people`: lists the people in a video, as `mien swap --cast` names them. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MienError, usage } from '@shared/errors.ts'
import { formatPosition } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { isDiskFull } from '../../machine/disk/disk-errors.ts'
import { makeFolder } from '../../machine/disk/make-folder.ts'
import { longest } from '../../media/people/people-service.ts'
import type { CommandOf } from '../args/args.ts'
import { unlessInterrupted } from '../output/ending.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print } from '../output/output-lines.ts'
import { openRun, type RunOptions } from './run-context.ts'

export async function runPeople(
  command: CommandOf<'people'>,
  options: RunOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const { out, json } = command
  if (out !== null) await makeOut(out)
  const context = openRun(options, out ?? options.dir)
  const work = async (): Promise<void> => {
    const video = await context.intake.video(command.video)
    const found = await context.people.complete(video.id)
    for (const [index, person] of found.people.entries()) {
      const clips = found.clips.filter(({ id }) => person.clipIds.includes(id))
      const face = out === null ? null : join(out, `person-${String(index + 1)}.jpg`)
      const from = context.media.path(longest(clips)?.faceId ?? '')
      if (face !== null && from !== null) await copyFile(from, face)
      const spans = clips.map(({ fromMs, toMs }) => ({ fromMs, toMs }))
      const screenMs = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
      const times = spans.map(({ fromMs, toMs }) => `${time(fromMs)}-${time(toMs)}`)
      print(json, { id: person.id, screenMs, spans, face }, [person.id, time(screenMs), times.join(' ')].join('  '))
    }
    if (found.people.length === 0) process.stderr.write(`${m.cli_nobody()}\n`)
  }
  try {
    await unlessInterrupted(interrupted, work())
  } finally {
    await context.dispose()
  }
  return exitCodes.done
}

const time = (ms: number): string => formatPosition(ms / 1000)

/** @throws MienError `usage`, `disk-full` */
async function makeOut(dir: string): Promise<void> {
  await makeFolder(dir).catch((error: unknown) => {
    if (isDiskFull(error)) throw new MienError('disk-full', {}, { cause: error })
    throw usage(m.cli_out_folder({ folder: dir }), error)
  })
}
