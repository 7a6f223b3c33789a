import { fireEvent, screen } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { FakeMain, FakeStart } from '../../fixtures/fake-bridge.ts'
import { cloud, embedded } from '../../fixtures/fake-tasks.ts'
import { openStudio, submitText } from './open-studio.ts'

async function openSettings(start: FakeStart = {}): Promise<FakeMain> {
  const { main, studio } = await openStudio(start)
  studio.settings()
  await screen.findByText('Add service…')
  return main
}

const click = (name: string): Promise<boolean> => {
  const button = screen.getByRole('button', { name })
  button.focus()
  return fireEvent.click(button)
}
async function openCloud(): Promise<void> {
  await openSettings({ profiles: [embedded, cloud] })
  await click('Open Studio Cloud')
}
const focused = (): string => {
  const { activeElement } = document
  if (activeElement instanceof HTMLInputElement) return activeElement.labels?.[0]?.textContent ?? ''
  return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent.trim() ?? ''
}
const addByAddress = async (): Promise<void> => {
  await click('Add service…')
  await submitText('Address', 'http://127.0.0.1:9')
  await screen.findByText('No key')
}
const saveKey = (key = 'sk-abcd') => submitText('Key', key)

describe('the state of a service', () => {
  it('is the result of its last test, with the time', async () => {
    const main = await openSettings({ profiles: [embedded, cloud] })
    expect(screen.getByText('Not tested')).toBeTruthy()
    main.report = { ...main.report, keyAccepted: null, error: { code: 'service-unreachable', details: {} } }
    await click('Open Studio Cloud')
    await click('Test connection')
    await screen.findByText('Test failed')
    expect(screen.getAllByText(/Tested today at/).length).toBeGreaterThan(0)
    main.report = { ...main.report, keyAccepted: true, error: null }
    await click('Test connection')
    await screen.findByText('Key accepted')
    expect(screen.queryByText('Test failed')).toBeNull()
    expect(screen.getAllByText('Ready')).toHaveLength(2)
  })

  it('is tested with a key that was just saved', async () => {
    const main = await openSettings()
    await addByAddress()
    main.report = { ...main.report, keyAccepted: null, error: { code: 'not-a-service', details: {} } }
    await saveKey()
    await screen.findByText('Test failed')
    expect(screen.getAllByText('Ready')).toHaveLength(1)
  })
})

it('keeps the focus on a control: add, pair, save and clear a key, remove', async () => {
  await openSettings()
  const isOn = (label: string) => vi.waitFor(() => expect(focused()).toBe(label))
  const leads = async (name: string, label: string): Promise<void> => {
    await click(name)
    await isOn(label)
  }
  await leads('Add service…', 'Pairing code')
  await leads('Cancel', 'Add service…')
  await addByAddress()
  await isOn('Key')
  await saveKey()
  await isOn('Test connection')
  await leads('Replace…', 'Key')
  await fireEvent.input(screen.getByLabelText('Key'), { target: { value: 'sk-typed' } })
  await leads('Cancel', 'Replace…')
  // What was typed is gone.
  await click('Replace…')
  expect(screen.getByLabelText<HTMLInputElement>('Key').value).toBe('')
  await leads('Cancel', 'Replace…')
  await leads('Clear', 'Key')
  await click('Remove service…')
  await leads('Remove', 'Add service…')
})

it('replaces the key after another one was begun and left', async () => {
  const main = await openSettings()
  await addByAddress()
  await saveKey()
  await click('Add another key…')
  await click('Cancel')
  await click('Replace…')
  await saveKey('sk-wxyz')
  await screen.findByText('••••wxyz')
  expect(main.profiles.at(-1)?.keys).toHaveLength(1)
})

it('speaks of no kind of file, path or storage before more is asked for', async () => {
  await openCloud()
  const page = screen.getByRole('main').textContent
  expect(page).toContain('You can add face-swap models')
  expect(page).not.toMatch(/ONNX|S3|\/v1\/|object storage/i)
})

it('draws each tick as an icon, which is hidden in an empty box also with forced colours', async () => {
  await openCloud()
  await click('More')
  const boxes = [...document.querySelectorAll('.check .box')]
  expect(boxes.length).toBeGreaterThan(0)
  expect(boxes.map((box) => [box.textContent, box.querySelectorAll('.icon').length])).toEqual(boxes.map(() => ['', 1]))
})
