/** @file The app with a real server: paired by its code, while the server crashes in the middle of a swap. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Task } from '@shared/task.ts'
import { ownCertificate } from '../../src/main/service/cluster/tls.ts'
import { sample } from '../fixtures/clip.ts'
import { jsonLines, runMien } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { bare, MienProcess } from '../fixtures/mien-server.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { launch } from './app.ts'

// A server needs signals, which Windows doesn't have.
describe.runIf(process.platform !== 'win32')('the app with a server', () => {
  it('is paired, sends a swap, and gets its result though the server crashes', async () => {
    const dir = tempDir()
    const results = join(dir, 'results')
    mkdirSync(results)
    const { cert, key } = await ownCertificate(join(dir, 'made'), ['127.0.0.1'])
    writeFileSync(join(dir, 'cert.pem'), cert)
    writeFileSync(join(dir, 'key.pem'), key)
    const start = (port: string): MienProcess =>
      new MienProcess(
        ['serve', '--data-dir', 'server', '--port', port, '--certificate', 'cert.pem', '--certificate-key', 'key.pem'],
        dir,
      )
    const server = start('0')
    const [adminKey, address] = [String(await server.told('adminKey')), String(await server.told('address'))]
    const paired = await runMien(['pair', '1', '--data-dir', 'server', '--json'], {
      ...{ cwd: dir, env: { ...bare, MIEN_ADMIN_KEY: adminKey } },
    })
    const code = String(jsonLines(paired)[0]?.['code'])

    const studio = await launch({ env: { MIEN_RESULTS_FOLDER: results } })
    onTestFinished(() => studio.quit())
    const { page } = studio
    await page.keyboard.press('ControlOrMeta+,')
    await page.getByRole('button', { name: 'Add service…' }).click()
    await studio.app.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), code)
    await page.getByLabel('Pairing code', { exact: true }).focus()
    await page.keyboard.press('ControlOrMeta+v')
    await page.getByText('Key accepted').waitFor()

    const taskId = await page.evaluate(async () => {
      const { mien } = window
      const list = await mien.profiles.list()
      const service = list.ok ? list.value.find(({ fingerprint }) => fingerprint !== null) : undefined
      const taken = await mien.intake.sample()
      if (!taken.ok || !service) throw new Error('There is no media or no service')
      const { face, video } = taken.value
      const sent = await mien.tasks.submit({ faceId: face.id, videoId: video.id, title: 'A', profileId: service.id })
      if (!sent.ok) throw new Error(sent.error.code)
      return sent.value.taskId
    })
    const task = () =>
      page.evaluate(async (id) => {
        const answer = await window.mien.tasks.get({ taskId: id })
        if (!answer.ok || answer.value.json === null) throw new Error('There is no task')
        return JSON.parse(answer.value.json) as Task // what main wrote
      }, taskId)
    await expect.poll(async () => (await task()).progress?.share ?? 0).toBeGreaterThan(0.1)
    await server.crash()
    const next = start(new URL(address).port)
    expect(await next.told('address')).toBe(address)
    await expect.poll(async () => (await task()).state).toBe('kept')

    const [name = ''] = readdirSync(results).filter((each) => each.endsWith('.mp4'))
    const [before, after] = await Promise.all([mediaFacts(sample.video), mediaFacts(join(results, name))])
    expect(after.frameTimes).toEqual(before.frameTimes)
    expect(after.audio).toEqual(before.audio)
  })
})
