import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../../../../src/main/service/cluster/database/postgres.ts'
import { seeded } from '../../../../../fault/random.ts'
import { Cluster } from '../../../../../fixtures/cluster.ts'
import { endAttempts } from '../../../../../fixtures/cluster-database.ts'
import { hasPostgres, sharedPostgres } from '../../../../../fixtures/postgres.ts'
import { SegmentEngine } from '../../../../../fixtures/segment-engine.ts'
import { tempDir } from '../../../../../fixtures/temp-dir.ts'

const video = 'a video'
const segments = 4
/** Each kill needs a new process. */
const patienceMs = 400_000
const script = join(import.meta.dirname, '../../../../../fixtures/worker-process.ts')
const whole = SegmentEngine.resultOf(Buffer.from(video), segments)

describe.runIf(hasPostgres)('workers that are killed (on Linux only)', () => {
  const runs = [
    { seed: 3, kills: 3, tags: [] },
    { seed: 1, kills: 20, tags: ['long'] },
    { seed: 2, kills: 20, tags: ['long'] },
  ]
  for (const { seed, kills, tags } of runs)
    it(`lose nothing and double nothing (seed ${seed}, ${kills} kills)`, { tags, timeout: patienceMs }, async () => {
      const random = seeded(seed)
      const dir = tempDir()
      const url = await (await sharedPostgres()).createDatabase()
      const db = openPostgres(url, () => undefined)
      onTestFinished(() => db.close())
      const cluster = new Cluster(db, dir)
      await cluster.prepare()
      await db.jobs.onDeadLetter((objectId) => cluster.queue.failOrRetry(objectId))
      const jobs = await Promise.all(Array.from({ length: 3 }, () => cluster.add(video)))
      const open = async (): Promise<number> => {
        const [row] = await db.query(`SELECT count(*) AS n FROM swaps WHERE status IN ('queued', 'processing')`)
        return Number(row?.['n'])
      }

      /** Segments that workers made, some twice: those that were not stored yet when a worker was killed. */
      let made = 0
      let started = 0
      /** Runs a worker until it has written so many lines, or no swap is open. */
      const run = async (lines: number): Promise<boolean> => {
        const name = `worker-${String((started += 1))}`
        const args = ['--experimental-transform-types', '--no-warnings', script, url, dir, name, join(dir, 'work')]
        const child = spawn(process.execPath, [...args, String(segments)], { stdio: ['pipe', 'pipe', 'inherit'] })
        const ended = once(child, 'exit')
        let written = 0
        // Also counts what it wrote until the kill.
        for await (const line of createInterface({ input: child.stdout })) {
          if (line.endsWith('is saved')) made += 1
          written += 1
          if (written >= lines || (line === 'claim ends' && (await open()) === 0)) child.kill('SIGKILL')
        }
        await ended
        // The test doesn't wait until the worker is missed, and it isn't about the limit of attempts.
        await db.query('UPDATE swaps SET tries = 0')
        await endAttempts(db)
        return written >= lines
      }

      for (let killed = 0; killed < kills; killed += 1) {
        if ((await open()) < 2) jobs.push(await cluster.add(video))
        expect(await run(1 + Math.floor(random() * 40))).toBe(true)
      }
      await run(Infinity)

      expect(await open()).toBe(0)
      for (const job of jobs) {
        expect(await cluster.row(job)).toMatchObject({ status: 'completed' })
        expect(await cluster.content(job, 'result/output.mp4')).toEqual(whole)
        expect((await cluster.content(job, 'result/cover.jpg'))?.toString()).toBe('cover 1')
        expect((await cluster.files(job)).filter(({ name }) => name.startsWith('work/'))).toEqual([])
      }
      // A kill costs one segment at most.
      expect(made).toBeGreaterThanOrEqual(jobs.length * segments)
      expect(made).toBeLessThanOrEqual(jobs.length * segments + kills)
    })
})
