/**
 * @file A batch of 200 small swaps in the real app, as overnight: killed five times at random instants, the disk full
 * once, all processes stopped for a while as by sleep. Afterwards each swap must be there once, with one file, in
 * order. Needs root, to mount a small disk. `--swaps N` for fewer, `--seed N` for other instants.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { launch } from '../e2e/app.ts'
import { seeded } from '../fault/random.ts'
import { runMien } from '../fixtures/command.ts'
import { killGroup } from './lib/engine-process.mjs'
import { numberOf, report, root, run, say, workFolder } from './lib/harness.mjs'
import { fillDisk } from './lib/killed-app.mjs'

const wanted = numberOf('--swaps', 200)
const random = seeded(numberOf('--seed', 1))

const portraits = join(root, 'test/bench/quality/people')
const faces = readdirSync(portraits).filter((name) => name.endsWith('.jpg') && name !== 'sally-ride-1984.jpg')
const videos = ['resources/sample/astronaut-clip.mp4', 'test/fixtures/clips/three-people.mp4']
/** Waits longer than this mean that it hangs. */
const deadlineMs = 30 * 60_000

const dir = workFolder('overnight')
const dataDir = join(dir, 'data')

/** The swaps in the order in which they were asked for. */
function swaps() {
  const db = new DatabaseSync(join(dataDir, 'library.db'), { readOnly: true, timeout: 5000 })
  try {
    return db
      .prepare(
        `SELECT data ->> 'title' AS title, listed.state, data ->> 'pause' AS pause
           FROM listed JOIN tasks ON id = task_id ORDER BY tasks.rowid`,
      )
      .all()
  } finally {
    db.close()
  }
}
const kept = () => swaps().filter(({ state }) => state === 'kept').length

/** @param {() => boolean} is @param {string} what */
async function until(is, what) {
  for (const end = Date.now() + deadlineMs; !is(); await sleep(200)) {
    if (Date.now() > end)
      throw new Error(`Waited in vain until ${what}: ${JSON.stringify(swaps().find(({ state }) => state !== 'kept'))}`)
  }
}

try {
  mkdirSync(dataDir)
  run('mount', '-t', 'tmpfs', '-o', 'size=2g', 'tmpfs', dataDir)
  const [facesDir, targetsDir] = [join(dir, 'faces'), join(dir, 'targets')]
  for (const made of [facesDir, targetsDir]) mkdirSync(made)
  for (const name of faces) copyFileSync(join(portraits, name), join(facesDir, name))
  for (let n = 0; n < wanted / faces.length; n += 1) {
    copyFileSync(
      join(root, videos[n % videos.length] ?? ''),
      join(targetsDir, `take-${String(n + 1).padStart(2, '0')}.mp4`),
    )
  }
  const batch = 'batch --profile this-computer --faces faces --targets targets --range 0:00-0:00.3 --title {n} --json'
  const added = await runMien([...batch.split(' '), '--data-dir', dataDir], { cwd: dir })
  if (added.code !== 0) throw new Error(added.stderr)
  const count = swaps().length
  say(`${count} swaps added`)

  const faults = ['kill', 'kill', 'full', 'kill', 'sleep', 'kill', 'kill']
  const began = performance.now()
  let studio = await launch({ dataDir })
  for (const [index, fault] of faults.entries()) {
    const due = Math.round((count * (index + 0.5 + random())) / (faults.length + 1))
    await until(() => kept() >= due, `${due} swaps are finished`)
    // Anywhere within a swap.
    await sleep(random() * 3000)
    const pid = studio.app.process().pid ?? 0
    if (fault === 'kill') {
      const ended = new Promise((resolve) => studio.app.process().once('exit', resolve))
      killGroup(pid)
      await ended
      studio = await launch({ dataDir })
    }
    if (fault === 'sleep') {
      await studio.app.evaluate(({ powerMonitor }) => void powerMonitor.emit('suspend'))
      process.kill(-pid, 'SIGSTOP')
      await sleep(20_000)
      process.kill(-pid, 'SIGCONT')
      await studio.app.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'))
    }
    if (fault === 'full') {
      const ballast = join(dataDir, 'ballast')
      await fillDisk(ballast)
      // Nothing can be written, not even to the library.
      await sleep(15_000)
      truncateSync(ballast, statSync(ballast).size - (2 << 20))
      await until(() => swaps().some(({ pause }) => pause === 'disk-full'), 'a swap waits for space')
      rmSync(ballast)
    }
    say(`${Math.round((performance.now() - began) / 1000)} s: ${fault} after ${due} swaps`)
  }
  await until(() => swaps().every(({ state }) => state === 'kept'), 'all are finished')
  const seconds = Math.round((performance.now() - began) / 1000)
  await studio.quit({ keep: true })

  const rows = swaps()
  const files = readdirSync(join(dataDir, 'results'))
  const wholes = files.filter((name) => {
    const count = '-v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0'.split(' ')
    const probe = spawnSync('ffprobe', [...count, join(dataDir, 'results', name)])
    return probe.status === 0 && probe.stderr.length === 0
  })
  const titles = rows.map(({ title }) => String(title))
  // By the service's record: the library has no start of a swap that ended before it was seen in progress.
  const service = new DatabaseSync(join(dataDir, 'service/service.db'), { readOnly: true })
  const ended = service
    .prepare(`SELECT data ->> 'title' AS title FROM swaps ORDER BY ended_at, seq`)
    .all()
    .map(({ title }) => String(title))
  service.close()
  const outOfOrder = titles.flatMap((title, index) => {
    const place = ended.indexOf(title)
    return place === index ? [] : [`${title} ended as number ${place + 1}`]
  })
  const result = {
    swaps: count,
    kept: rows.filter(({ state }) => state === 'kept').length,
    titles: new Set(titles).size,
    files: files.length,
    whole: wholes.length,
    outOfOrder,
    jobs: ended.length,
    seconds,
  }
  const counts = [result.kept, result.titles, result.files, result.whole, result.jobs]
  const pass = counts.every((each) => each === count) && outOfOrder.length === 0
  report(result, pass)
} finally {
  spawnSync('umount', ['-l', dataDir])
}
