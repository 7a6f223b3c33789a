import { fireEvent, screen, within } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import { menuFor } from '../../../src/renderer/studio/views/library/task-menu.ts'
import { rowOf } from '@shared/tasks/task-row.ts'
import type { GivenFile, VerifiedFile } from '@shared/files/verification.ts'
import { yes, no } from '../../fixtures/fake-answers.ts'
import { swap } from '../../fixtures/fake-tasks.ts'
import { verification, without } from '../../fixtures/verification.ts'
import { dropOn, openStudio } from './open-studio.ts'

async function open() {
  const { main, studio } = await openStudio()
  studio.actions.run('anywhere.verify')
  await screen.findByText('Drop a file')
  return { main, studio }
}

const drop = (...names: string[]) =>
  dropOn(
    screen.getByRole('main'),
    names.map((name) => new File(['x'], name)),
  )
const given = (change: Partial<GivenFile> = {}): GivenFile => ({
  ...{ token: 'given', name: 'a.mp4', sizeBytes: 18_400_000, media: null, ...change },
})
const heading = (name: string) => screen.findByRole('heading', { name })

describe('the page that verifies files', () => {
  it('verifies a dropped file instead of putting it into the composer', async () => {
    const { main, studio } = await open()
    await drop('notes.txt', 'b.mp4')
    await heading('Made with Mien, unchanged')
    expect(main.calls).toContainEqual({ method: 'verify', argument: 'notes.txt' })
    expect(studio.routes.route.view).toBe('verify')
    expect(studio.composer.video.state).toBe('empty')
    expect(studio.toasts.list.map(({ title }) => title)).toEqual(['Mien checks one file at a time'])
    expect(screen.getByText('Tamper-evident, not a verified identity')).toBeTruthy()
  })

  it('shows where a file can be dropped', async () => {
    await open()
    await fireEvent.dragOver(screen.getByRole('main'), { dataTransfer: { types: ['Files'], items: [] } })
    expect(screen.getByText('Drop to check it')).toBeTruthy()
    await drop('a.mp4')
    expect(await screen.findByText('Drop another file')).toBeTruthy()
  })

  it('shows what isn’t as signed, and the codes', async () => {
    const { main } = await open()
    const changed = verification({ verdict: 'changed', problems: ['assertion.bmffHash.mismatch'] })
    main.verified = () => yes({ verification: changed, thumbnails: [] })
    await fireEvent.click(screen.getByRole('button', { name: /Drop a file/ }))
    await heading('Changed after it was signed')
    expect(screen.getAllByText('Picture or sound')).toHaveLength(2)
    expect(screen.getByText('assertion.bmffHash.mismatch').closest('details')?.open).toBe(false)
  })

  it('shows the file, and the library’s pictures of what it was made from', async () => {
    const { main } = await open()
    main.given = () => yes(given({ media: { id: 'shown', kind: 'picture' } }))
    main.verified = () => yes({ verification: verification(), thumbnails: [null, 'cover'] })
    await drop('a.png')
    await heading('Made with Mien, unchanged')
    expect([...document.querySelectorAll('main img')].map((image) => image.getAttribute('src'))).toEqual([
      ...['media://item/shown', 'media://item/cover'],
    ])
    const shown = screen.getByRole('region', { name: 'File' })
    await fireEvent.error(within(shown).getByRole('img'))
    expect(screen.getByText('This file can’t be shown here')).toBeTruthy()
  })

  it('shows foreign texts as they are written', async () => {
    const { main } = await open()
    const madeWith = { name: '<img src=x onerror=alert(1)>', version: null, system: null }
    main.verified = () => yes({ verification: verification({ madeWith }), thumbnails: [] })
    await drop('a.png')
    expect(await screen.findByText('<img src=x onerror=alert(1)>')).toBeTruthy()
    expect(document.querySelectorAll('main img, main a')).toHaveLength(0)
  })

  it('copies the report', async () => {
    const { main } = await open()
    await drop('a.mp4')
    await fireEvent.click(await screen.findByRole('button', { name: 'Copy the report' }))
    const text = expect.stringMatching(/^Launch day interview\.mp4\n18\.4 MB\n\nMade with Mien, unchanged\n/) as string
    await vi.waitFor(() => expect(main.asked('copyText')).toEqual([{ text }]))
  })

  it('says why a file can’t be verified, and takes another one', async () => {
    const { main } = await open()
    main.given = () => no('file-is-folder', { name: 'clips', reason: 'one-file' })
    await drop('clips')
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('“clips” is a folder')
    expect(alert.textContent).toContain('Choose one of the files in it.')
    main.given = () => yes(given())
    main.verified = () => yes({ verification: without('none'), thumbnails: [] })
    await drop('a.mp4')
    await heading('No credentials found')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('drops the answer when it is left', async () => {
    const { main, studio } = await open()
    const { promise: waiting, resolve: answer } = Promise.withResolvers<VerifiedFile>()
    main.verified = async () => yes(await waiting)
    await drop('large.mp4')
    await heading('Checking…')
    expect(screen.getByRole('status').textContent).toBe('Checking…')
    await fireEvent.keyDown(document.body, { key: 'Escape' })
    await vi.waitFor(() => expect(main.calls).toContainEqual({ method: 'leave', argument: undefined }))
    answer({ verification: verification(), thumbnails: [] })
    await waiting
    studio.actions.run('anywhere.verify')
    await screen.findByText('Drop a file')
    expect(studio.verify.shown.state).toBe('empty')
  })

  it('keeps what it shows when the file dialog is closed', async () => {
    const { main } = await open()
    await drop('a.mp4')
    await heading('Made with Mien, unchanged')
    main.given = () => yes(null as unknown as GivenFile) // a closed dialog
    await fireEvent.click(screen.getByRole('button', { name: /Drop another file/ }))
    await heading('Made with Mien, unchanged')
  })
})

it('the menu of a finished swap opens it', async () => {
  const { main, studio } = await open()
  const row = rowOf(swap('interview', Date.now(), {}), 1)
  const labels = menuFor(studio, { ...row, state: 'processing' }).map(({ label }) => label)
  expect(labels).not.toContain('Check credentials')
  menuFor(studio, { ...row, state: 'kept' })
    .find(({ label }) => label === 'Check credentials')
    ?.run()
  await heading('Made with Mien, unchanged')
  expect(main.calls).toContainEqual({ method: 'verify', argument: { taskId: 'interview' } })
})
