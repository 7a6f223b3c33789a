/** Languages in the real app: changed in the settings while it runs, or chosen by the system. */
import { afterAll, describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/clip.ts'
import { type Studio } from './app.ts'
import { launchWarm, runWarm } from './warm.ts'
import { fillSlots, resize } from './seeded.ts'

let studio: Studio | null = null
afterAll(() => studio?.quit())

/** Chooses a language by its name in the settings, whatever their language is now. */
async function choose(name: string): Promise<void> {
  const page = studio?.page
  if (!page) throw new Error('No window')
  await page.locator('#appearance').locator('button[aria-haspopup=menu]').click()
  await page.getByRole('menuitemradio', { name }).click()
}

/** Texts that don't fit into their place: cut off without an ellipsis, or wider than the window. */
const overflows = (page: Studio['page']): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => {
        const style = getComputedStyle(element)
        if (style.visibility === 'hidden' || element.closest('.sr, [hidden]') !== null) return false
        const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== '')
        const box = element.getBoundingClientRect()
        const isOutside = box.width > 0 && (box.right > innerWidth + 1 || box.left < -1)
        const isAllowed = style.textOverflow === 'ellipsis' || style.overflowX === 'auto' || style.display === 'inline'
        return hasText && !isAllowed && (isCut || isOutside)
      })
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent.trim()}`),
  )

/**
 * Lengthens every text by 40 %, as a translation may be, until `shorten` on the page. Texts that change meanwhile have
 * their normal length.
 */
const stretch = (page: Studio['page']): Promise<void> =>
  page.evaluate(() => {
    const before: [Node, string, string][] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const text = node.nodeValue ?? ''
      const more = 'mein ue '.repeat(40).slice(0, Math.ceil(text.trim().length * 0.4))
      if (!/[a-z]{3}/i.test(text)) continue
      before.push([node, text, (node.nodeValue = text.trimEnd() + more)])
    }
    const shorten = (): void => {
      for (const [node, text, long] of before) if (node.nodeValue === long) node.nodeValue = text
    }
    Object.assign(window, { shorten })
  })

describe('a text that is 40 % longer', () => {
  it('fits on the main pages, in a window of the usual size and in the smallest', async () => {
    studio = await launchWarm()
    const { page } = studio
    const open = studio
    const check = async (name: string): Promise<void> => {
      await resize(open, 1280, 800)
      await stretch(page)
      for (const [width, height] of [
        [1280, 800],
        [960, 640],
      ] as const) {
        await resize(open, width, height)
        expect(await overflows(page), `${name} at ${String(width)}`).toEqual([])
      }
      await page.evaluate(() => {
        ;(Reflect.get(window, 'shorten') as () => void)()
      })
    }
    await page.getByText('Try it with sample media').waitFor()
    await check('first-start')
    await fillSlots(page, portrait)
    await page.keyboard.press('ControlOrMeta+e')
    await page.getByText('Likeness').waitFor()
    await check('composer')
    await page.keyboard.press('ControlOrMeta+l')
    await page.getByText('No swaps yet').waitFor()
    await check('library')
    await page.keyboard.press('ControlOrMeta+,')
    await page.getByRole('heading', { name: 'Appearance' }).waitFor()
    await check('settings')
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    await check('shortcuts')
    await page.keyboard.press('Escape')
  })
})

describe('the language', () => {
  it('changes in the settings without a restart, also that of main', async () => {
    if (!studio) throw new Error('The test before did not open it')
    const { page, app } = studio
    await page.keyboard.press('ControlOrMeta+n')
    await page.getByText('1 face found').waitFor()
    await page.getByRole('button', { name: 'Remove video' }).click()
    await page.keyboard.press('ControlOrMeta+,')
    await page.getByRole('heading', { name: 'Appearance' }).waitFor()
    await choose('Deutsch')
    await page.getByRole('heading', { name: 'Darstellung' }).waitFor()
    expect(await overflows(page)).toEqual([])
    await choose('简体中文')
    await page.getByRole('heading', { name: '外观' }).waitFor()
    // Main speaks it too, in dialogs and menus.
    const said = app.evaluate(
      ({ dialog }) =>
        new Promise((resolve) => {
          dialog.showOpenDialog = (...args: unknown[]) => {
            resolve(JSON.stringify(args.at(-1)))
            return Promise.resolve({ canceled: true, filePaths: [] })
          }
        }),
    )
    await page.keyboard.press('ControlOrMeta+n')
    await page.getByRole('button', { name: '选择视频…' }).click()
    expect(await said).toContain('视频和图片')
    await studio.quit()
  })

  it('is that of the system at first', async () => {
    studio = await launchWarm({ env: { LC_ALL: 'fr_CA.UTF-8' } })
    await studio.page.getByText('Placez un visage dans une vidéo').waitFor()
  })

  it('of the command line is that of the terminal, but JSON is in English', async () => {
    const cwd = process.cwd()
    const help = await runWarm(['--help'], { cwd, env: { LC_ALL: 'de_DE.UTF-8' } })
    expect(help.stdout).toContain('Verwendung: mien BEFEHL')
    const wrong = await runWarm(['swap', '--fly'], { cwd, env: { LC_ALL: 'ja_JP.UTF-8' } })
    expect(wrong.stderr).toContain('不明なオプション：--fly')
    const json = await runWarm(['swap', '--fly', '--json'], { cwd, env: { LC_ALL: 'ja_JP.UTF-8' } })
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: { code: 'usage', details: { reason: 'Unknown option: --fly' } },
    })
  })
})
