import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { verifyFile, type Verify } from '../../../../src/main/provenance/verify-file.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { verification } from '../../../fixtures/verification.ts'

const fine: Verify = () => Promise.resolve(verification())
const fileWith = (content: string, name = 'a.mp4'): string => {
  const path = join(tempDir(), name)
  writeFileSync(path, content)
  return path
}

describe('a file', () => {
  it('is answered with what was found', async () => {
    expect(await verifyFile(fileWith('x'), fine)).toEqual(verification())
  })

  it('that is empty, a folder or missing is refused by name', async () => {
    const empty = { code: 'file-empty', details: { name: 'a.mp4' } }
    await expect(verifyFile(fileWith(''), fine)).rejects.toMatchObject(empty)
    const folder = join(tempDir(), 'clips')
    mkdirSync(folder)
    const refused = { code: 'file-is-folder', details: { name: 'clips', reason: 'one-file' } }
    await expect(verifyFile(folder, fine)).rejects.toMatchObject(refused)
    await expect(verifyFile(join(folder, 'gone.mp4'), fine)).rejects.toMatchObject({ code: 'file-missing' })
  })

  it.runIf(process.platform !== 'win32')('that is a device is refused', async () => {
    await expect(verifyFile('/dev/null', fine)).rejects.toMatchObject({ code: 'file-unreadable' })
  })

  it('is forgotten when the user turns to something else', async () => {
    const abort = new AbortController()
    const stopped: Verify = () => {
      abort.abort(new MienError('cancelled'))
      return Promise.reject(new Error('The thread ended'))
    }
    const found = verifyFile(fileWith('x'), stopped, abort.signal)
    await expect(found).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('that changes meanwhile has no verdict, not even an error about what was read', async () => {
    const path = fileWith('x')
    const changing: Verify = () => {
      writeFileSync(path, 'longer')
      return Promise.resolve(verification())
    }
    await expect(verifyFile(path, changing)).rejects.toMatchObject({ code: 'file-changed', details: { name: 'a.mp4' } })
    const failing: Verify = () => {
      writeFileSync(path, 'even longer')
      return Promise.reject(new Error('cut off'))
    }
    await expect(verifyFile(path, failing)).rejects.toMatchObject({ code: 'file-changed' })
  })

  it('whose reader fails keeps that error', async () => {
    await expect(verifyFile(fileWith('x'), () => Promise.reject(new Error('crashed')))).rejects.toThrow('crashed')
  })
})

describe('texts in credentials', () => {
  it('are cut, and lose what could move other text', async () => {
    const name = `\u202egpj.${'x'.repeat(10_000_000)}`
    const found = verification({
      madeWith: { name: 'Evil\u0007\u001b[31m\n\u2028', version: null, system: null },
      ingredients: [{ role: 'parent', name, kind: 'picture', sha256: null, credentials: null, signedBy: null }],
    })
    const shown = await verifyFile(fileWith('x'), () => Promise.resolve(found))
    expect(shown.madeWith?.name).toBe('Evil  [31m')
    expect(shown.ingredients[0]?.name).toMatch(/^gpj\.x+…$/)
    expect(shown.ingredients[0]?.name).toHaveLength(199)
  })

  it('are at most a hundred', async () => {
    const problems = Array.from({ length: 100_000 }, () => 'ingredient.unknownProvenance')
    const shown = await verifyFile(fileWith('x'), () => Promise.resolve(verification({ problems })))
    expect(shown.problems).toHaveLength(100)
  })
})
