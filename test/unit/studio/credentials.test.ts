/** @file The rows about content credentials in the settings. */
import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import Credentials from '../../../src/renderer/studio/views/settings/labels/Credentials.svelte'
import { yes } from '../../fixtures/fake-answers.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { renderIn, startStudio } from './open-studio.ts'

async function open(start: FakeMain | FakeStart = {}): Promise<FakeMain> {
  const { main, studio } = await startStudio(start)
  renderIn(studio, Credentials, {})
  return main
}
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

it('say who signs, and take a certificate with its password', async () => {
  const main = await open()
  await screen.findByText('This copy of Mien, key 4F2A 91C7. Tamper-evident, not a verified identity.')
  await press('Use a certificate…')
  const password = await screen.findByLabelText('Password of the private key', { selector: 'input' })
  await fireEvent.input(password, { target: { value: 'wrong' } })
  await press('Use certificate')
  await screen.findByText('The private key’s passphrase is wrong.')
  await fireEvent.input(password, { target: { value: 'right' } })
  await press('Use certificate')
  await screen.findByText('The certificate of Harbour Films')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(main.asked('useCertificate')).toEqual([null, 'wrong', 'right'])
  await press('Use this copy’s key')
  expect(main.calls.at(-1)?.method).toBe('useOwn')
})

it('stay as they are when the dialog for a certificate is closed', async () => {
  const main = new FakeMain()
  const useCertificate = vi.fn(() => yes(null))
  Object.assign(main.bridge.signing, { useCertificate })
  await open(main)
  await screen.findByText(/^This copy of Mien, key/)
  await press('Use a certificate…')
  await vi.waitFor(() => expect(useCertificate).toHaveBeenCalled())
  await new Promise(setImmediate)
  expect(screen.getByText(/^This copy of Mien, key/)).toBeDefined()
})

it('say what is wrong with a certificate, and that a key is lost at the end', async () => {
  const main = new FakeMain()
  main.signing = { ...main.signing, kind: 'organisation', name: 'Harbour Films', problem: 'expired', kept: 'session' }
  await open(main)
  await screen.findByText('The certificate of Harbour Films has expired, so this copy of Mien signs.')
  expect(screen.getByText(/kept only until you quit/)).toBeDefined()
})

it('are turned off and on', async () => {
  const main = await open()
  await fireEvent.click(screen.getByRole('switch', { name: 'Content credentials' }))
  expect(main.settings.credentials).toBe('off')
  expect(screen.queryByText('Signed by')).toBeNull()
  await fireEvent.click(screen.getByRole('switch', { name: 'Content credentials' }))
  expect(main.settings.credentials).toBe('on')
})

it('can’t be turned off if they are set for this computer', async () => {
  await open({ info: { locked: ['credentials'] } })
  expect(screen.getByRole<HTMLInputElement>('switch', { name: 'Content credentials' }).disabled).toBe(true)
  expect(screen.getByText('Set by your administrator')).toBeDefined()
  expect(screen.queryByText('If a file can’t be signed')).toBeNull()
})
