/**
 * @file Another worker goes on with the real engine's work, on another "computer", and makes the same file.
 * @module-tag long
 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/main/service/cluster/database/postgres.ts'
import { buildEngineMain, killGroup, startMain } from '../bench/lib/engine-process.mjs'
import { clips, sample } from '../fixtures/clip.ts'
import { Cluster } from '../fixtures/cluster.ts'
import { endAttempts } from '../fixtures/cluster-database.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { hasPostgres, sharedPostgres } from '../fixtures/postgres.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

interface Line {
  swap?: string
  listed?: string[]
  completed?: boolean
}

it.runIf(hasPostgres)(
  'a worker that is killed after its second segment is followed by one that makes the same frames, packets and sound',
  async () => {
    const dir = tempDir()
    const main = await buildEngineMain(join(dir, 'main'), 'test/bench/lib/worker-main.ts')
    const url = await (await sharedPostgres()).createDatabase()
    const shared = new Cluster(
      openPostgres(url, () => undefined),
      dir,
    )
    onTestFinished(() => shared.db.close())
    /** Runs a worker until a line. */
    const run = async (name: string, until: (line: Line) => boolean): Promise<Line[]> => {
      const child = startMain(main, { MIEN_WORKER_DIR: dir, MIEN_WORKER_NAME: name, MIEN_WORKER_DATABASE: url })
      const exit = once(child, 'exit')
      const lines: Line[] = []
      for await (const text of createInterface({ input: child.stdout })) {
        if (!text.startsWith('{')) continue
        // Written by worker-main.ts.
        const line = JSON.parse(text) as Line
        lines.push(line)
        if (until(line)) break
      }
      killGroup(child.pid)
      await exit
      return lines
    }
    const segmentsOf = (lines: Line[], swap: string): string[] =>
      lines.flatMap((line) => (line.swap === swap ? (line.listed ?? []) : [])).filter((name) => name.endsWith('.json'))

    await shared.prepare()
    const [face, clip] = [readFileSync(sample.face), readFileSync(clips.twelveSeconds)]
    const add = async () => shared.add(await shared.upload(clip), await shared.upload(face))
    const [followed, undisturbed] = [await add(), await add()]
    const second = 'work/segment-0001.json'
    const before = await run('first', ({ listed }) => listed?.includes(second) === true)
    await endAttempts(shared.db)
    let completed = 0
    const after = await run('second', (line) => line.completed === true && (completed += 1) === 2)

    expect(segmentsOf(before, followed.objectId).at(-1)).toBe(second)
    const all = segmentsOf(after, undisturbed.objectId)
    expect(all.length).toBeGreaterThan(2)
    // The second worker made none of the first one's again.
    expect(segmentsOf(after, followed.objectId)).not.toContain('work/segment-0000.json')
    expect(segmentsOf(after, followed.objectId)).not.toContain(second)
    const contents = (name: string) => Promise.all([shared.content(followed, name), shared.content(undisturbed, name)])
    // Frames, packets and their times; the files differ by when they were made.
    const facts = (await contents('result/output.mp4')).map(async (file, index) => {
      const path = join(dir, `${String(index)}.mp4`)
      writeFileSync(path, file ?? '')
      return mediaFacts(path)
    })
    const [one, other] = await Promise.all(facts)
    expect(one).toEqual(other)
    for (const name of ['result/cover.jpg', 'result/face-0.jpg']) {
      const [made, same] = await contents(name)
      expect(made, name).not.toBeNull()
      expect(made?.equals(same ?? Buffer.alloc(0)), name).toBe(true)
    }
    const result = JSON.parse(String((await shared.row(followed))['result'])) as { stages: { keptFrames: number } }
    expect(result.stages.keptFrames).toBeGreaterThan(0)
  },
)
