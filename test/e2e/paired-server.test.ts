/** @file The app with a real server: paired by its code, while the server crashes during a swap. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { ownCertificate } from '../../src/main/cli/server/tls.ts'
import { readPairingCode } from '../../src/main/remote/pairing/pairing-code.ts'
import { shortClip } from '../fixtures/clip.ts'
import { jsonLines } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { MienProcess } from '../fixtures/mien-server.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { seedSample, servicesOf, submitSample, taskOf } from './seeded.ts'
import { launchWarm, runWarm } from './warm.ts'

// A server needs signals, which Windows doesn't have.
it.runIf(process.platform !== 'win32')(
  'is paired, sends a swap and gets its result though the server crashes; the server’s files and keys stay private',
  async () => {
    const dir = tempDir()
    const results = join(dir, 'results')
    mkdirSync(results)
    const { cert, key } = await ownCertificate(join(dir, 'made'), ['127.0.0.1'])
    writeFileSync(join(dir, 'cert.pem'), cert)
    writeFileSync(join(dir, 'key.pem'), key)
    const tls = ['--certificate', 'cert.pem', '--certificate-key', 'key.pem']
    const start = (port: string) => new MienProcess(['serve', '--data-dir', 'server', '--port', port, ...tls], dir)
    const server = start('0')
    const [address, adminKey] = [String(await server.told('address')), String(await server.told('adminKey'))]
    const pair = (admin: string, ...more: string[]) =>
      runWarm(['pair', '1', '--data-dir', 'server', ...more], { cwd: dir, env: { MIEN_ADMIN_KEY: admin } })
    const code = String(jsonLines(await pair(adminKey, '--json'))[0]?.['code'])
    const fingerprint = await server.told('certificate')
    expect(readPairingCode(code)).toMatchObject({ baseUrl: address, fingerprint })
    const clip = await shortClip(join(dir, 'clip.mp4'))
    const dataDir = tempDir()
    seedSample(dataDir, clip)
    const studio = await launchWarm({ dataDir, env: { MIEN_RESULTS_FOLDER: results } })
    onTestFinished(() => studio.quit())
    const { app, page } = studio
    await page.keyboard.press('ControlOrMeta+,')
    await page.getByRole('button', { name: 'Add service…' }).click()
    await app.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), code)
    await page.getByLabel('Pairing code', { exact: true }).focus()
    await page.keyboard.press('ControlOrMeta+v')
    await page.getByText('Key accepted').waitFor()

    const id = await submitSample(page, 'A', (await servicesOf(page))[0]?.id ?? '')
    const state = async (): Promise<string> => (await taskOf(page, id)).state
    // Its worker starts the engine, which takes longer than to see that.
    await expect.poll(state).toBe('processing')
    await server.crash()
    const db = new DatabaseSync(join(dir, 'server/server.db'))
    const [swap] = db.prepare('SELECT status FROM swaps').all()
    db.close()
    expect(swap).toEqual({ status: 'processing' })
    const next = start(new URL(address).port)
    expect(await next.told('address')).toBe(address)
    await expect.poll(state).toBe('kept')
    const [name = ''] = readdirSync(results).filter((each) => each.endsWith('.mp4'))
    const [before, after] = await Promise.all([mediaFacts(clip), mediaFacts(join(results, name))])
    expect([after.frameTimes, after.audio]).toEqual([before.frameTimes, before.audio])

    const second = await runWarm(['serve', '--data-dir', 'server', '--port', '0'], { cwd: dir })
    expect(second).toMatchObject({ code: 2, stdout: '' })
    expect(second.stderr).toContain('Another server or worker uses this folder')
    // The QR code, and the code to copy.
    expect((await pair(adminKey)).stdout).toMatch(/[█▀▄]{20}[^]*\nmien-1-\S+\n$/)
    const refused = await pair('admin-mien-wrong')
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toContain('administrator’s key is wrong')

    const ran = await next.stop()
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    for (const secret of [adminKey, readPairingCode(code).key]) expect(server.stderr + ran.stderr).not.toContain(secret)
    for (const line of ran.stderr.trim().split('\n'))
      expect(JSON.parse(line), line).toMatchObject({
        time: expect.any(String) as string,
        level: expect.any(String) as string,
      })
    expect(await pair(adminKey)).toMatchObject({ code: 4, stderr: expect.stringContaining('No server runs') as string })
    expect(statSync(join(dir, 'server/server.db')).mode & 0o077).toBe(0)
  },
)
