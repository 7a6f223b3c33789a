/** @file An address that only an online service can open, in the real app. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sample } from '../fixtures/clip.ts'
import { FakeService } from '../fixtures/fake-service.ts'
import { dropFiles } from './app.ts'
import { openStudio, addService } from './seeded.ts'

/** Port 9 takes no connection. */
const address = 'http://127.0.0.1:9/team/launch.mp4?sig=once'
let service: FakeService
beforeAll(async () => {
  service = await new FakeService().start()
  service.finishSwaps(readFileSync(sample.video))
})
afterAll(() => service.stop())
const studio = openStudio()

it('is offered to the service after it could not be opened, and not to this computer', async () => {
  const { page } = studio
  await addService(page, service.baseUrl)
  await dropFiles(page, 'main', [sample.face])
  await page.getByText('1 face found').waitFor()
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.getByRole('button', { name: 'Use a link…' }).click()
  await page.getByRole('textbox', { name: 'Link to the video' }).fill(address)
  await page.getByRole('button', { name: 'Use link', exact: true }).click()
  await page.getByText('No response from this link').waitFor()
  expect(await page.getByRole('button', { name: 'Use anyway' }).count()).toBe(0)

  const runOn = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: /^Runs on/ }).click()
    await page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click()
  }
  await runOn('Agency')
  await page.getByRole('button', { name: 'Use anyway' }).click()
  await page.getByText('Not opened on this computer').waitFor()
  await runOn('This computer')
  await page.getByText('This computer can’t open that link. Choose an online service.').waitFor()
  await runOn('Agency')
  await page.getByRole('button', { name: 'Swap', exact: true }).click()
  await page.getByRole('button', { name: 'Save as…' }).waitFor()

  const [sent] = service.creates
  const imageUrl = `${service.baseUrl}/v1/assets/${basename(sample.face)}`
  expect(sent?.body).toMatchObject({ videoUrl: address, imageUrl, title: 'Launch' })
  expect(sent?.body).not.toHaveProperty('duration')
  expect(readdirSync(join(studio.dataDir, 'results'))).toEqual(['Launch.mp4'])
  await page.getByText('This video can’t be shown. It was sent as a link and never opened on this computer.').waitFor()
})
