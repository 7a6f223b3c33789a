/** @file A service with a certificate of its own: added by its pairing code, and trusted by that certificate alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { file, listOf, mp4, routes, sendJson } from '../fixtures/fake-service.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { selfSigned, TlsService } from '../fixtures/tls-service.ts'
import { seedSample, openStudio, servicesOf, submitSample, taskOf } from './seeded.ts'

let service: TlsService
/** Ids of finished jobs. */
const done = new Set<string>()

const dataDir = sharedDir()
beforeAll(async () => {
  service = await new TlsService(await selfSigned()).start()
  service.acceptSwaps()
  let jobs = 0
  service.replies.set(routes.create, (_request, response) => {
    sendJson(response, { objectID: `object-${String(++jobs)}` })
  })
  service.replies.set(
    routes.list,
    listOf((id) =>
      done.has(id)
        ? { status: 'completed', Video: { videoUrl: `${service.baseUrl}/out.mp4` } }
        : { status: 'processing' },
    ),
  )
  service.replies.set('GET /out.mp4', file(mp4))
  seedSample(dataDir)
})
afterAll(() => service.stop())
const studio = openStudio({ dataDir })

const services = () => servicesOf(studio.page)

/** As the user does: from the clipboard, into a field of the form. */
async function paste(field: string, text: string): Promise<void> {
  await studio.app.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), text)
  await studio.page.getByLabel(field, { exact: true }).focus()
  await studio.page.keyboard.press('ControlOrMeta+v')
}

/** Sends the sample to the paired service; returns the swap's id. */
async function submit(title: string): Promise<string> {
  const paired = (await services()).find(({ fingerprint }) => fingerprint !== null)
  return submitSample(studio.page, title, paired?.id ?? '')
}

const stateOf = (taskId: string) => async () => {
  const { state, pause } = await taskOf(studio.page, taskId)
  return `${state} ${pause ?? ''}`.trim()
}

describe('a service with a certificate that it made itself', () => {
  it('is added by its pairing code, takes a swap, and gives its result', async () => {
    const { page } = studio
    const code = service.code('sk-of-the-server-8f2c')
    await page.keyboard.press('ControlOrMeta+,')
    await page.getByRole('button', { name: 'Add service…' }).click()
    await paste('Pairing code', `${code.slice(0, 60)}\n  ${code.slice(60)}\n`)
    await page.getByText('Key accepted').waitFor()
    const { host } = new URL(service.baseUrl)
    await expect.poll(services).toMatchObject([{ name: host, key: { kept: 'keychain', lastFour: '8f2c' } }])
    const taskId = await submit('First')
    await expect.poll(stateOf(taskId)).toBe('processing')
    expect(service.count(routes.upload)).toBeGreaterThan(0)
    done.add('object-1')
    await expect.poll(stateOf(taskId)).toBe('kept')
  })

  it('is not trusted by a profile without the fingerprint', async () => {
    const report = await studio.page.evaluate(async (baseUrl) => {
      const { mien } = window
      const saved = await mien.profiles.save({ name: 'Not paired', baseUrl: `${baseUrl}/other` })
      if (!saved.ok) throw new Error(saved.error.code)
      await mien.profiles.setKey({ profileId: saved.value.id, key: 'sk-other', keep: 'session' })
      const tested = await mien.profiles.test({ profileId: saved.value.id })
      await mien.profiles.remove({ profileId: saved.value.id })
      return tested.ok ? tested.value : null
    }, service.baseUrl)
    expect(report).toMatchObject({ reached: false, tls: 'bad', error: { code: 'service-certificate' } })
  })

  it('with another certificate is sent nothing, its swaps wait, and a new code lets them go on', async () => {
    let { page } = studio
    const running = await submit('Running')
    await expect.poll(stateOf(running)).toBe('processing')
    service.change(await selfSigned())
    const before = service.seen.length
    const queued = await submit('Queued')
    await page.getByText(/The certificate of 127\.0\.0\.1:\d+ has changed/).waitFor()
    await expect.poll(stateOf(queued)).toBe('queued service')
    await expect.poll(stateOf(running)).toBe('processing service')
    expect(service.seen.length).toBe(before)
    expect(await services()).toMatchObject([{ paused: true, certificateChanged: true }])

    await studio.reopen()
    ;({ page } = studio)
    await page.getByText(/The certificate of 127\.0\.0\.1:\d+ has changed/).waitFor()
    await page.keyboard.press('ControlOrMeta+,')
    await page.locator('#services').getByText('Certificate changed').waitFor()

    await page.getByRole('button', { name: 'Enter new pairing code…' }).first().click()
    done.add('object-2').add('object-3')
    await paste('Address', service.code('sk-new-0001'))
    await page.getByText('Key accepted').waitFor()
    await expect.poll(stateOf(queued)).toBe('kept')
    await expect.poll(stateOf(running)).toBe('kept')
    expect(await page.getByText(/certificate of .* has changed|Certificate changed/).count()).toBe(0)
    await expect.poll(services).toMatchObject([{ paused: false, key: { lastFour: '0001' } }])
    expect(service.creates.map(({ headers }) => headers['x-service-apikey'])).toEqual([
      'sk-of-the-server-8f2c',
      'sk-of-the-server-8f2c',
      'sk-new-0001',
    ])
  })
})
