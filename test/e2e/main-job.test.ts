/** @file The main job in the real app: from nothing to a kept result, with real files. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { sample, shortClip } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { dropFiles, dropSwap, launch, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'

let studio: Studio
let files: string
let clip: string

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'mien-e2e-files-'))
  clip = await shortClip(join(files, 'city-walk.mp4'))
})
afterAll(() => {
  rmSync(files, { recursive: true, force: true })
})

const finished = (page: Page) => page.getByRole('button', { name: 'Save as…' }).waitFor()

describe('from first start', () => {
  beforeAll(async () => {
    studio = await launch()
  })
  afterAll(() => studio.quit())

  it('one click on the sample ends in a kept video: every frame, the same times, the same sound', async () => {
    const { page } = studio
    await page.getByRole('heading', { name: 'Swap a face into a video' }).waitFor()
    await page.getByRole('button', { name: 'Try it with sample media' }).click()
    await page.getByRole('progressbar').first().waitFor()
    await finished(page)
    await page.getByText('Comes with Mien, public domain').waitFor()
    expect(await page.getByText(/You confirmed/).count()).toBe(0)
    const results = readdirSync(join(studio.dataDir, 'results'))
    expect(results).toHaveLength(1)
    const [before, after] = await Promise.all([
      mediaFacts(sample.video),
      mediaFacts(join(studio.dataDir, 'results', results[0] ?? '')),
    ])
    expect(after.codec).toBe('avc')
    expect([after.width, after.height]).toEqual([1280, 720])
    expect(after.frameTimes).toHaveLength(150)
    expect(after.frameTimes).toEqual(before.frameTimes)
    expect(after.audio).toEqual(before.audio)
  })

  it('a dropped face and a dropped video, confirmed, are swapped; the library has it after a restart', async () => {
    const { page } = studio
    await page.keyboard.press('ControlOrMeta+n')
    await dropFiles(page, 'main', [sample.face])
    await page.getByText('1 face found').waitFor()
    await dropFiles(page, 'main', [clip])
    await page.getByText('1 person').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('City walk')
    const swap = page.getByRole('button', { name: 'Swap', exact: true })
    expect(await swap.isEnabled()).toBe(false)
    await page.getByRole('checkbox', { name: /I may use this face/ }).check()
    await swap.click()
    await finished(page)
    expect(existsSync(join(studio.dataDir, 'results', 'City walk.mp4'))).toBe(true)

    await studio.quit({ keep: true })
    // The next start finds main's compiled code.
    const compiled = readdirSync(join(studio.dataDir, 'compile-cache'), { recursive: true, withFileTypes: true })
    expect(compiled.filter((entry) => entry.isFile()).length).toBeGreaterThan(3)
    studio = await launchWarm({ dataDir: studio.dataDir })
    await studio.page.getByText('City walk').first().click()
    await finished(studio.page)
    const pictures = studio.page.getByRole('img', { name: /^(Before|After):/ }).locator('canvas')
    await expect.poll(() => pictures.count()).toBe(2)
    // A canvas is 300 × 150 until a frame is drawn.
    const shapes = (): Promise<number[]> =>
      pictures.evaluateAll((all) =>
        all.map((each) => (each instanceof HTMLCanvasElement ? each.width / each.height : 0)),
      )
    await expect.poll(async () => (await shapes()).map((shape) => shape.toFixed(1))).toEqual(['1.8', '1.8'])
  })
})

describe('with a warm engine', () => {
  beforeEach(async () => {
    studio = await launchWarm()
  })
  afterEach(() => studio.quit())

  it('removing offers Undo, and Undo brings it back', async () => {
    const { page } = studio
    await dropSwap(page, clip)
    await finished(page)
    // It is offered for six seconds, which a machine that is busy may need: it is waited for before.
    const undone = page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await undone
    await page.keyboard.press('ControlOrMeta+l')
    await page.getByText('City walk').first().waitFor()
  })
})

describe('a wrong file', () => {
  beforeAll(async () => {
    studio = await launchWarm()
  })
  beforeEach(async () => {
    // Nothing is left on the slots.
    await studio.page.reload()
    await studio.page.getByRole('navigation').first().waitFor()
    expect(await studio.page.getByText('1 face found').count()).toBe(0)
  })
  afterAll(() => studio.quit())

  const wrong = async (name: string, content: string | Buffer, says: RegExp): Promise<void> => {
    const { page } = studio
    writeFileSync(join(files, name), content)
    await dropFiles(page, 'main', [join(files, name)])
    await page.getByText(says).first().waitFor()
    // The app goes on: the right file right after it works.
    await dropFiles(page, 'main', [sample.face])
    await page.getByText('1 face found').waitFor()
  }

  it('a text named .mp4 is called what it is', async () => {
    await wrong('notes.mp4', 'only some notes\n', /It’s a text file with a video extension/)
  })

  it('a script is not said to be named like a video', async () => {
    await wrong('media.sh', 'echo hello\n', /“media\.sh” isn’t a video/)
    expect(await studio.page.getByText(/video extension/).count()).toBe(0)
  })

  it('an AVI is called a video of a kind that cannot be read', async () => {
    await wrong('old.avi', Buffer.from('RIFF\0\0\0\0AVI LIST', 'latin1'), /“old\.avi” is AVI, which isn’t supported/)
  })

  it('a folder with one picture in it stands for that picture, and one with nothing is called a folder', async () => {
    const { page } = studio
    const folder = join(files, 'holiday')
    mkdirSync(folder)
    await dropFiles(page, 'main', [folder])
    await page.getByText('“holiday” is a folder').waitFor()
    copyFileSync(sample.face, join(folder, 'me.jpg'))
    await dropFiles(page, 'main', [folder])
    // On the right, it is what the face is swapped into.
    await page.getByText('1 person').waitFor()
  })

  it('an empty one is called empty', async () => {
    await wrong('clip.mov', '', /“clip\.mov” is empty/)
  })

  it('noise with a picture’s name cannot be read', async () => {
    await wrong('face.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]), /“face\.png” can’t be read as a picture/)
  })

  it('a picture without a face is refused on the media slot', async () => {
    // A grey PNG of 64 × 64 pixels, drawn by the page itself.
    const data = await studio.page.evaluate(() => {
      const canvas = document.createElement('canvas')
      canvas.width = canvas.height = 640
      const context = canvas.getContext('2d')
      if (context) {
        context.fillStyle = '#888'
        context.fillRect(0, 0, 640, 640)
      }
      return canvas.toDataURL('image/png').split(',')[1] ?? ''
    })
    await wrong('grey.png', Buffer.from(data, 'base64'), /No face found in this picture/)
  })
})
