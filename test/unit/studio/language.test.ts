import { fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { useLanguage } from '../../../src/renderer/studio/state/app/language.svelte.ts'
import { startFilled } from './open-studio.ts'

afterEach(() => useLanguage('en'))

it('changes the texts in place, and the composer keeps what was typed and chosen', async () => {
  const { studio } = await startFilled({ confirmed: true })
  render(App, { studio })
  const title = await screen.findByLabelText<HTMLInputElement>('Title')
  await fireEvent.input(title, { target: { value: 'My title' } })
  title.focus()
  await studio.app.set({ language: 'ja' })
  expect(await screen.findByLabelText('タイトル')).toBe(title)
  expect(document.activeElement).toBe(title)
  expect(title.value).toBe('My title')
  expect(document.documentElement.lang).toBe('ja')
  await screen.findByText('顔が 1 つ見つかりました')
  expect(screen.getByRole('button', { name: '入れ替える' })).toHaveProperty('disabled', false)
  // No English is left, apart from names.
  expect(document.body.textContent).not.toMatch(/\b(?:the|Face|Video|Replace|found|Runs|about)\b/)
})
