/** @file The keyboard alone, in the real app: on every page, Tab finds each control, and every action leaves the focus on one. */
import { describe, expect, it } from 'vitest'
import { go, openSeeded } from './seeded.ts'

const studio = openSeeded([1280, 800])

interface Focused {
  /** Number of the element, because names repeat; 0: none. */
  id: number
  name: string
  /** Why it can't be seen, if so. */
  lost: string | null
}

const focused = (): Promise<Focused> =>
  studio.page.evaluate(() => {
    const element = document.activeElement
    if (!element || element === document.body) return { id: 0, name: 'page', lost: 'nothing has it' }
    const walked = ((globalThis as { walked?: Map<Element, number> }).walked ??= new Map<Element, number>())
    walked.set(element, walked.get(element) ?? walked.size + 1)
    const text = element.getAttribute('aria-label') ?? element.textContent
    const name = `${element.tagName} ${text.replaceAll(/\s+/g, ' ').trim().slice(0, 40)}`
    const { left, top, right, bottom } = element.getBoundingClientRect()
    const isSeen = right > left && bottom > top && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
    const id = walked.get(element) ?? 0
    return {
      id,
      name,
      lost: isSeen && element.checkVisibility({ visibilityProperty: true }) ? null : 'it can’t be seen',
    }
  })

type Page = [name: string, open: () => Promise<unknown>]
/** Its actions lead elsewhere, or change the library. */
const swapPage = 'a finished swap'
const pages: Page[] = [
  [
    'the library',
    async () => {
      await go(studio.page, 'l')
      await studio.page.locator('[data-state=kept]').first().waitFor()
    },
  ],
  [
    swapPage,
    async () => {
      await go(studio.page, 'l')
      await studio.page.locator('[data-state=kept]').first().press('Enter')
      await studio.page.getByRole('complementary').waitFor()
    },
  ],
  [
    'the settings',
    async () => {
      await go(studio.page, ',')
      await studio.page.getByRole('button', { name: 'Add service…' }).waitFor()
    },
  ],
  [
    'the check of credentials',
    async () => {
      await go(studio.page, 'k')
      await studio.page.getByRole('combobox').fill('verify')
      await studio.page.keyboard.press('Enter')
      await studio.page.getByText('Drop a file').waitFor()
    },
  ],
  [
    'the composer',
    async () => {
      await go(studio.page, 'n')
      await studio.page.locator('[data-slot=video]').waitFor()
    },
  ],
]

it.each(pages)('Tab goes through %s in a circle, and Shift Tab back', async (_, open) => {
  const { page } = studio
  await open()
  /** What has the focus after each press, until it is where it was after the first. */
  const walk = async (key: string): Promise<Focused[]> => {
    const round: Focused[] = []
    for (let isRound = false; !isRound && round.length < 200;) {
      await page.keyboard.press(key)
      const found = await focused()
      isRound = found.id === round[0]?.id
      round.push(found)
    }
    expect(round.filter(({ lost }) => lost !== null)).toEqual([])
    return round
  }
  const [there, back] = [await walk('Tab'), await walk('Shift+Tab')]
  expect(there.length).toBeGreaterThan(5)
  // By the last name of each: counts and progress change meanwhile.
  const names = new Map([...there, ...back].map(({ id, name }) => [id, name]))
  const namesOf = (round: Focused[]) => [...new Set(round.map(({ id }) => id))].map((id) => names.get(id)).toSorted()
  expect(namesOf(back)).toEqual(namesOf(there))
})

/** Buttons and links on the page that Tab reaches. */
const controls = 'button, a[href], [role=button], [role=menuitem], summary'
/** After these there is another page the next time. */
const isRemoval = (name: string): boolean => /^(?:Remove|Delete)/.test(name)

describe('an action', { tags: ['long'] }, () => {
  it.each(pages.filter(([name]) => name !== swapPage))(
    'of %s leaves the focus on something that can be seen',
    async (_, open) => {
      const { page, app } = studio
      await app.evaluate(({ dialog, shell, Menu }) => {
        dialog.showOpenDialog = () => Promise.resolve({ canceled: true, filePaths: [] })
        dialog.showSaveDialog = () => Promise.resolve({ canceled: true, filePath: '' })
        shell.openPath = () => Promise.resolve('')
        shell.openExternal = () => Promise.resolve()
        shell.showItemInFolder = () => undefined
        Menu.prototype.popup = () => undefined
      })
      const lost: object[] = []
      for (let index = 0, count = 1; index < count; index += 1) {
        await open()
        const [name, all] = await page.evaluate(
          ([selector, at]) => {
            const found = [...document.querySelectorAll<HTMLElement>(selector)].filter(
              (one) => one.tabIndex >= 0 && one.checkVisibility() && !one.matches(':disabled, [inert] *'),
            )
            found[at]?.focus()
            return [
              (found[at]?.getAttribute('aria-label') ?? found[at]?.textContent ?? '').trim(),
              found.length,
            ] as const
          },
          [controls, index] as const,
        )
        count = all
        if (isRemoval(name)) continue
        await page.keyboard.press('Enter')
        await page.waitForTimeout(80)
        const after = await focused()
        if (after.lost !== null) lost.push({ action: name, ...after })
      }
      expect(lost).toEqual([])
    },
  )
})
