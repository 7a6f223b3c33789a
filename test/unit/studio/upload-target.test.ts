/** @file The form of an upload target, in the service's editor. */
import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import {
  credentialsOf,
  isComplete,
  uploadDraftOf,
  uploadTargetOf,
} from '../../../src/renderer/studio/logic/settings/upload-form.ts'
import { cloud, embedded } from '../../fixtures/fake-tasks.ts'
import { openStudio } from './open-studio.ts'

it('is filled in, saved, and tested', async () => {
  const { main, studio } = await openStudio({ profiles: [embedded, cloud] })
  studio.settings()
  await fireEvent.click(await screen.findByRole('button', { name: `Open ${cloud.name}` }))
  await fireEvent.click(await screen.findByRole('button', { name: /^More/ }))
  await fireEvent.click(await screen.findByRole('button', { name: 'Set up…' }))
  const write = async (label: string, value: string): Promise<void> => {
    await fireEvent.input(screen.getByLabelText(label), { target: { value } })
  }
  await write('Storage address', 'https://s3.example.com')
  await write('Bucket', 'studio')
  const save = screen.getAllByRole('button', { name: 'Save' }).at(-1)
  expect(save?.getAttribute('aria-disabled')).toBe('true')
  await write('Access key', 'AKIA')
  await write('Secret key', 'of the user')
  if (save) await fireEvent.click(save)
  await screen.findByText('studio at s3.example.com')
  const saved = { endpoint: 'https://s3.example.com', bucket: 'studio', style: 'path', publicUrl: null }
  expect(main.asked('save')).toMatchObject([saved])
  expect(document.body.innerHTML).not.toContain('of the user')
  await fireEvent.click(screen.getByRole('button', { name: 'Test upload' }))
  await screen.findByText('Uploaded, downloaded and deleted')
})

it('keeps a lifetime within what a signature may have, and credentials unless both are given', () => {
  const draft = { ...uploadDraftOf(null), endpoint: 'h', bucket: 'b' }
  for (const [typed, hours] of [
    ['', 1],
    ['soon', 168],
    ['0', 1],
    ['900', 168],
    ['24', 24],
  ] as const)
    expect(uploadTargetOf({ ...draft, lifetimeHours: typed }).lifetimeHours).toBe(hours)
  expect(credentialsOf({ ...draft, accessKeyId: 'a' }, 'keychain')).toBeNull()
  expect(isComplete(draft, false)).toBe(false)
  expect(isComplete(draft, true)).toBe(true)
})
