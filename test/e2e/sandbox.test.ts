/**
 * @file The first start and the sample as an ordinary user without a keyring, with Chromium's own sandbox on. Root cannot
 * have that sandbox, so as root the app is copied to where everybody may read it, and it is started as nobody.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { mediaFacts, type MediaFacts } from '../fixtures/media-facts.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { asRoot, copyForUsers, launchAsUser, processesOf, type UserApp } from '../fixtures/user-app.ts'

const nobody = 65534
const video = (app: string): string => join(app, 'resources', 'sample', basename(sample.video))
const dir = sharedDir()
let data: string
let running: UserApp

beforeAll(async () => {
  const { app, electron } = copyForUsers(dir)
  // A shorter sample is swapped sooner.
  await shortClip(video(app), 9, 25, 0, sample.video)
  const user = { uid: nobody, gid: nobody, home: join(dir, 'home') }
  data = join(user.home, 'data')
  running = await launchAsUser(user, [electron, app], ['--data-dir', data])
})
afterAll(() => running.quit())

it('a key is kept for the session only when the user says so', async () => {
  const { page } = running
  const outcome = await page.evaluate(async () => {
    const { mien } = window
    const saved = await mien.profiles.save({ name: 'Cloud', baseUrl: 'https://api.example.com' })
    if (!saved.ok) throw new Error(saved.error.code)
    const profileId = saved.value.id
    const kept = await mien.profiles.setKey({ profileId, key: 'sk-planted-9999', keep: 'keychain' })
    const session = await mien.profiles.setKey({ profileId, key: 'sk-planted-9999', keep: 'session' })
    await mien.profiles.remove({ profileId })
    return {
      kept: kept.ok ? 'kept' : kept.error.code,
      session: session.ok ? session.value.key.kept : session.error.code,
    }
  })
  expect(outcome).toEqual({ kept: 'no-keychain', session: 'session' })
  const keychain = () =>
    page.evaluate(async () => window.mien.app.info().then((info) => info.ok && info.value.keychain))
  await expect.poll(keychain).toBe('missing')
  expect(spawnSync('grep', ['-rlaF', 'sk-planted-9999', data], { encoding: 'utf8' }).stdout).toBe('')
})

it('one click on the sample ends in a kept video: every frame, the same times and sound, every renderer behind seccomp', async () => {
  const { page } = running
  await page.getByRole('heading', { name: 'Swap a face into a video' }).waitFor()
  await page.getByRole('button', { name: 'Try it with sample media' }).click()
  await page.getByRole('progressbar').first().waitFor()
  const working = processesOf(join(dir, 'electron', 'electron'))
  await page.getByRole('button', { name: 'Save as…' }).waitFor()
  const renderers = working.filter(({ args }) => args.includes('--type=renderer'))
  // The studio's and the engine's.
  expect(renderers.length).toBeGreaterThanOrEqual(2)
  for (const each of renderers) expect(each).toMatchObject({ seccomp: 2 })
  for (const { args } of working) expect(args).not.toContain('--no-sandbox')
  if (asRoot) expect(new Set(working.map(({ uid }) => uid))).toEqual(new Set([nobody]))

  await page.getByText('Comes with Mien, public domain').waitFor()
  expect(await page.getByText(/You confirmed/).count()).toBe(0)
  const results = readdirSync(join(data, 'results'))
  expect(results).toHaveLength(1)
  const files = [video(join(dir, 'app')), join(data, 'results', results[0] ?? '')]
  const [before, after] = (await Promise.all(files.map((file) => mediaFacts(file)))) as [MediaFacts, MediaFacts] // of two
  expect(after).toMatchObject({ codec: 'avc', width: 1280, height: 720, frameTimes: { length: 9 } })
  expect([after.frameTimes, after.audio]).toEqual([before.frameTimes, before.audio])

  // With a swap in progress, a signal asks nothing.
  await page.evaluate(async () => {
    const taken = await window.mien.intake.sample()
    if (!taken.ok) throw new Error(taken.error.code)
    const media = { faceId: taken.value.face.id, videoId: taken.value.video.id }
    const sent = await window.mien.tasks.submit({ ...media, title: 'Again', profileId: 'this-computer' })
    if (!sent.ok) throw new Error(sent.error.code)
    const { taskId } = sent.value
    for (let isRunning = false; !isRunning;) {
      const task = await window.mien.tasks.get({ taskId })
      isRunning = task.ok && task.value.json?.includes('"state":"processing"') === true
    }
  })
  expect(await running.quit()).toBe(0)
  // The next start finds main's compiled code.
  const compiled = readdirSync(join(data, 'compile-cache'), { recursive: true, withFileTypes: true })
  expect(compiled.filter((entry) => entry.isFile()).length).toBeGreaterThan(3)
})
