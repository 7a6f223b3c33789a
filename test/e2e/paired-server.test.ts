/** @file The app with a real server: paired by its code, while the server crashes during a swap. */
import { appendFileSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownCertificate } from '../../src/main/service/http/tls.ts'
import { readPairingCode, writePairingCode } from '../../src/main/remote/pairing/pairing-code.ts'
import { shortClip } from '../fixtures/clip.ts'
import { listen } from '../fixtures/listen.ts'
import { jsonLines } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { MienProcess } from '../fixtures/mien-server.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import type { Studio } from './app.ts'
import { seedSample, servicesOf, submitSample, taskOf } from './seeded.ts'
import { launchWarm, runWarm } from './warm.ts'

const mega = 2 ** 20

/** A TCP proxy that stops to send after `maxBytes` of clients. */
async function slowLine(port: number) {
  const line = { maxBytes: Infinity, sentBytes: 0, port: 0 }
  const server = createServer((client) => {
    const onward = connect(port, '127.0.0.1')
    const end = (): void => {
      client.destroy()
      onward.destroy()
    }
    for (const socket of [client, onward]) socket.on('error', end).on('close', end)
    onward.pipe(client)
    client.on('data', (chunk) => {
      line.sentBytes += chunk.byteLength
      if (line.sentBytes <= line.maxBytes) onward.write(chunk)
      else client.pause()
    })
    sockets.add(client)
  })
  const sockets = new Set<Socket>()
  line.port = await listen(server)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return line
}

/** A video of this size: with a box that players skip at its end (ISO/IEC 14496-12, 8.1.2). */
async function largeClip(path: string, sizeBytes: number): Promise<string> {
  await shortClip(path)
  const { size } = statSync(path)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(sizeBytes - size)
  head.write('free', 4)
  appendFileSync(path, head)
  truncateSync(path, sizeBytes)
  return path
}

// A server needs signals, which Windows doesn't have.
describe.runIf(process.platform !== 'win32')('the app with a server', () => {
  const results = (dir: string): string => join(dir, 'results')
  const codeOf = async (dir: string, server: MienProcess): Promise<string> => {
    const adminKey = String(await server.told('adminKey'))
    const pair = ['pair', '1', '--data-dir', 'server', '--json']
    const paired = await runWarm(pair, { cwd: dir, env: { MIEN_ADMIN_KEY: adminKey } })
    return String(jsonLines(paired)[0]?.['code'])
  }
  /** Servers on one folder, one after the other. */
  async function servers(dir: string): Promise<(port: string) => MienProcess> {
    mkdirSync(results(dir))
    const { cert, key } = await ownCertificate(join(dir, 'made'), ['127.0.0.1'])
    writeFileSync(join(dir, 'cert.pem'), cert)
    writeFileSync(join(dir, 'key.pem'), key)
    const tls = ['--certificate', 'cert.pem', '--certificate-key', 'key.pem']
    return (port) => new MienProcess(['serve', '--data-dir', 'server', '--port', port, ...tls], dir)
  }
  async function addService({ app, page }: Studio, code: string): Promise<void> {
    await page.keyboard.press('ControlOrMeta+,')
    await page.getByRole('button', { name: 'Add service…' }).click()
    await app.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), code)
    await page.getByLabel('Pairing code', { exact: true }).focus()
    await page.keyboard.press('ControlOrMeta+v')
    await page.getByText('Key accepted').waitFor()
  }
  /** A swap of what is in the library. @returns its id */
  const submit = async ({ page }: Studio): Promise<string> =>
    submitSample(page, 'A', (await servicesOf(page))[0]?.id ?? '')
  async function expectResult(dir: string, source: string): Promise<void> {
    const [name = ''] = readdirSync(results(dir)).filter((each) => each.endsWith('.mp4'))
    const [before, after] = await Promise.all([mediaFacts(source), mediaFacts(join(results(dir), name))])
    expect(after.frameTimes).toEqual(before.frameTimes)
    expect(after.audio).toEqual(before.audio)
  }

  it('is paired, sends a swap and gets its result though the server crashes; the server’s files and keys stay private', async () => {
    const dir = tempDir()
    const start = await servers(dir)
    const server = start('0')
    const address = String(await server.told('address'))
    const code = await codeOf(dir, server)
    const fingerprint = await server.told('certificate')
    expect(readPairingCode(code)).toMatchObject({ baseUrl: address, fingerprint })
    const clip = await shortClip(join(dir, 'clip.mp4'))
    const dataDir = tempDir()
    seedSample(dataDir, clip)
    const studio = await launchWarm({ dataDir, env: { MIEN_RESULTS_FOLDER: results(dir) } })
    onTestFinished(() => studio.quit())
    await addService(studio, code)

    const id = await submit(studio)
    // Its worker starts the engine, which takes longer than to see that.
    await expect.poll(async () => (await taskOf(studio.page, id)).state).toBe('processing')
    await server.crash()
    const db = new DatabaseSync(join(dir, 'server/server.db'))
    const [swap] = db.prepare('SELECT status FROM swaps').all()
    db.close()
    expect(swap).toEqual({ status: 'processing' })
    const next = start(new URL(address).port)
    expect(await next.told('address')).toBe(address)
    await expect.poll(async () => (await taskOf(studio.page, id)).state).toBe('kept')
    await expectResult(dir, clip)

    const second = await runWarm(['serve', '--data-dir', 'server', '--port', '0'], { cwd: dir })
    expect(second).toMatchObject({ code: 2, stdout: '' })
    expect(second.stderr).toContain('Another server or worker uses this folder')
    const adminKey = String(await server.told('adminKey'))
    const pair = (key: string) =>
      runWarm(['pair', '9', '--data-dir', 'server'], { cwd: dir, env: { MIEN_ADMIN_KEY: key } })
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
  })

  it('continues to send a large video after a restart of the app and of the server', { tags: ['long'] }, async () => {
    const dir = tempDir()
    const start = await servers(dir)
    const server = start('0')
    const port = new URL(String(await server.told('address'))).port
    const line = await slowLine(Number(port))
    const code = readPairingCode(await codeOf(dir, server))
    const env = { MIEN_RESULTS_FOLDER: results(dir) }
    const clip = await largeClip(join(dir, 'clip.mp4'), 60 * mega)
    const dataDir = tempDir()
    seedSample(dataDir, clip)
    let studio = await launchWarm({ env, dataDir })
    onTestFinished(() => studio.quit())
    await addService(studio, writePairingCode({ ...code, baseUrl: `https://127.0.0.1:${String(line.port)}` }))

    line.maxBytes = 30 * mega
    const id = await submit(studio)
    await expect.poll(() => line.sentBytes).toBeGreaterThan(30 * mega)
    expect((await taskOf(studio.page, id)).state).toBe('uploading')
    await studio.quit({ keep: true })
    await server.crash()
    await start(port).told('address')
    Object.assign(line, { maxBytes: Infinity, sentBytes: 0 })
    studio = await launchWarm({ env, dataDir })
    await expect.poll(async () => (await taskOf(studio.page, id)).state).toBe('kept')
    expect(line.sentBytes).toBeLessThan(40 * mega)
    await expectResult(dir, clip)
  })
})
