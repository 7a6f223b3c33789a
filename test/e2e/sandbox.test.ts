/**
 * @file The main job as an ordinary user, with Chromium's own sandbox on. Root cannot have that
 * sandbox, so as root the app and its input are copied to where everybody may read them, and it is started as nobody.
 */
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { asRoot, copyForUsers, launchAsUser, processesOf, type UserApp } from '../fixtures/user-app.ts'
import { dropSwap } from './app.ts'

const nobody = 65534
let dir: string
let face: string
let clip: string
let running: UserApp

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mien-user-'))
  const { app, electron } = copyForUsers(dir)
  face = join(dir, 'face.jpg')
  copyFileSync(sample.face, face)
  clip = await shortClip(join(dir, 'clip.mp4'))
  const user = { uid: nobody, gid: nobody, home: join(dir, 'home') }
  running = await launchAsUser(user, [electron, app], ['--data-dir', join(user.home, 'data')])
})
afterAll(async () => {
  await running.quit()
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

describe('as an ordinary user', () => {
  it('the main job ends in a kept video, with every renderer behind seccomp', async () => {
    const { page } = running
    await dropSwap(page, clip, face)
    await page.getByRole('progressbar').first().waitFor()
    const working = processesOf(join(dir, 'electron', 'electron'))
    await page.getByRole('button', { name: 'Save as…' }).waitFor()
    const renderers = working.filter(({ args }) => args.includes('--type=renderer'))
    // The studio's and the engine's.
    expect(renderers.length).toBeGreaterThanOrEqual(2)
    for (const each of renderers) expect(each).toMatchObject({ seccomp: 2 })
    for (const { args } of working) expect(args).not.toContain('--no-sandbox')
    if (asRoot) expect(new Set(working.map(({ uid }) => uid))).toEqual(new Set([nobody]))
    expect(readdirSync(join(dir, 'home', 'data', 'results'))).toEqual(['Clip.mp4'])
  })
})
