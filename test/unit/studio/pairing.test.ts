import { fireEvent, screen } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import { isPairingCode, shortFingerprint } from '../../../src/renderer/studio/logic/settings/service-form.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { openStudio, submitText } from './open-studio.ts'

const code = `mien-1-${'eyJh'.repeat(20)}-Ab_3-xYz`

async function openForm(start: FakeStart = {}): Promise<FakeMain> {
  const { main, studio } = await openStudio(start)
  studio.settings('new')
  await screen.findByLabelText('Pairing code')
  return main
}

/** jsdom has no clipboard and doesn't paste by itself. */
async function paste(label: string, text: string): Promise<boolean> {
  const event = new Event('paste', { bubbles: true, cancelable: true })
  Object.assign(event, { clipboardData: { getData: () => text } })
  return fireEvent(screen.getByLabelText(label), event)
}

describe('the form for a service', () => {
  it.each(['Pairing code', 'Address'])('takes a code that is pasted into “%s”, and shows its test', async (label) => {
    const main = await openForm()
    const isLeftToBrowser = await paste(label, `${code.slice(0, 30)}\n${code.slice(30)}`)
    expect(isLeftToBrowser).toBe(false)
    await screen.findByText('Key accepted')
    expect(screen.getByLabelText<HTMLInputElement>('Address').value).toBe('https://127.0.0.1:8443')
    expect(screen.getByTitle(`sha256/${'A'.repeat(43)}=`).textContent).toBe('sha256/AAAAAAAAAAAA…AAAAA=')
    expect(main.profiles.map(({ id }) => id)).toContain('paired')
  })

  it('takes a code that was typed as an address', async () => {
    const main = await openForm()
    await submitText('Address', code)
    await screen.findByText('Key accepted')
    expect(main.profiles).toHaveLength(2)
  })

  it('leaves an address to the field, and says why a text is no code', async () => {
    const main = await openForm()
    expect(await paste('Address', 'https://mien-1-server.example')).toBe(true)
    expect(await paste('Pairing code', 'sk-123')).toBe(true)
    expect(main.calls.some(({ method }) => method === 'pair')).toBe(false)
    await submitText('Pairing code', 'sk-123')
    expect((await screen.findByRole('alert')).textContent).toContain('It isn’t a pairing code.')
    expect(main.profiles).toHaveLength(1)
  })

  it('keeps the key for the session only if the user says so', async () => {
    const main = await openForm({ info: { keychain: 'missing' } })
    await paste('Pairing code', code)
    const keep = await screen.findByRole('button', { name: 'Keep until I quit' })
    expect(main.profiles).toHaveLength(1)
    await fireEvent.click(keep)
    await vi.waitFor(() => expect(main.profiles[1]?.key.kept).toBe('session'))
  })
})

describe('a search in the local network', () => {
  const server = { name: 'Studio server', baseUrl: 'https://10.0.0.5:7433', fingerprint: `sha256/${'A'.repeat(43)}=` }
  const found = (label: string) => screen.findByRole('button', { name: new RegExp(label) })

  async function search(main: FakeMain): Promise<() => void> {
    const end = Promise.withResolvers<undefined>()
    main.search = () => end.promise.then((value) => ({ ok: true, value }))
    await fireEvent.click(screen.getByRole('button', { name: 'Find on this network' }))
    return () => end.resolve(undefined)
  }

  it('begins when the user asks, and says when nobody answered', async () => {
    const main = await openForm()
    expect(screen.queryByText(/network…/)).toBeNull()
    const end = await search(main)
    await screen.findByText('Searching this network…')
    end()
    await screen.findByText('No Mien server answered. Ask who runs it for a pairing code.')
  })

  it('shows servers while it runs, each once, and adds the chosen one with a key or code', async () => {
    const main = await openForm()
    const end = await search(main)
    main.foundNearby.emit(server)
    main.foundNearby.emit({ ...server, name: 'Other', baseUrl: 'https://10.0.0.6:7433' })
    main.foundNearby.emit(server)
    await fireEvent.click(await found('Studio server 10\\.0\\.0\\.5:7433'))
    expect(screen.getByText(server.fingerprint)).toBeTruthy()
    expect(screen.queryByLabelText('Address')).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(await found('Other')).toBeTruthy()
    await fireEvent.click(await found('Studio server'))
    await submitText('Pairing code or key', 'sk-typed')
    await screen.findByText('Key accepted')
    expect(main.asked('pair')).toEqual([{ code: 'sk-typed', keep: 'keychain', found: server }])
    end()
  })

  it('says why it failed', async () => {
    const main = await openForm()
    main.search = () => Promise.resolve({ ok: false, error: { code: 'internal', details: { reason: 'EADDRINUSE' } } })
    await fireEvent.click(screen.getByRole('button', { name: 'Find on this network' }))
    expect(await screen.findByText(/EADDRINUSE|went wrong/)).toBeTruthy()
    expect(screen.queryByText(/No Mien server answered/)).toBeNull()
  })
})

it('shows that a certificate has changed instead of “Ready”, and leads to the field for a new code', async () => {
  const main = new FakeMain()
  await main.bridge.profiles.pair({ code, keep: 'keychain' })
  main.profiles = main.profiles.map((each) =>
    each.embedded ? each : { ...each, paused: true, certificateChanged: true },
  )
  const { studio } = await openStudio(main)
  studio.settings()
  await screen.findByText('Certificate changed')
  expect(screen.getAllByText('Ready')).toHaveLength(1)
  await fireEvent.click(screen.getByRole('button', { name: 'Enter new pairing code…' }))
  await screen.findByLabelText('Pairing code')
})

it.each([
  [code, true],
  [`  ${code.slice(0, 12)}\n${code.slice(12)}`, true],
  ['mien-2-abcdefghijklmnopqrstuvwxyz-12345678', true],
  ['https://mien-1-server.example', false],
  ['mien-1-a.long-server-name.in-the.office', false],
  ['mien-1-nas:8443', false],
  ['', false],
])('%s is taken for a pairing code: %s', (text, is) => expect(isPairingCode(text)).toBe(is))

it('shortens a fingerprint in its middle', () => {
  expect(shortFingerprint('sha256/abcdefghijklmnopqrstuvwxyz0123456789ABCDEF+=')).toBe('sha256/abcdefghijkl…CDEF+=')
})
