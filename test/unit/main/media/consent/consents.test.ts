import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { maxReleaseBytes } from '@shared/tasks/consent.ts'
import type { FaceMedia } from '@shared/tasks/task.ts'
import { exportHtml, exportJson, faceRecord } from '../../../../../src/main/media/consent/consent-record.ts'
import { Consents } from '../../../../../src/main/media/consent/consents.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { face, makeTask, video } from '../../../../fixtures/tasks.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const inDir = tempPaths()
const key = hash('sha256', 'the picture')
let db: DatabaseSync
let media: MediaStore
let store: TaskStore
let consents: Consents
let now: number
let lastName: string
let changes: number
let free: () => number

beforeEach(() => {
  db = tempLibrary(inDir())
  media = new MediaStore(db)
  store = new TaskStore(db, () => undefined)
  now = 1000
  lastName = ''
  changes = 0
  free = () => 1e12
  writeFileSync(inDir('thumb.jpg'), 'small picture')
  const thumbnailId = media.addDerived(inDir('thumb.jpg'))
  media.addFace('/pictures/ada.jpg', key, { ...face, id: 'ada', name: 'ada.jpg', thumbnailId })
  media.addVideo('/videos/v.mp4', video)
  consents = new Consents({
    ...{ media, dir: inDir('consents'), now: () => now, stopSwaps: () => ['ended'] },
    name: { get: () => lastName, set: (name) => (lastName = name) },
    onChanged: () => (changes += 1),
    log: () => undefined,
    freeBytes: () => Promise.resolve(free()),
  })
})

const file = (name: string, content: string): string => {
  writeFileSync(inDir(name), content)
  return inDir(name)
}
const releases = (): string[] => {
  const folder = inDir('consents', 'releases')
  return existsSync(folder) ? readdirSync(folder) : []
}
const addFace = (id: string, patch: Partial<FaceMedia> = {}): void => {
  media.addFace(`/pictures/${id}.jpg`, hash('sha256', id), { ...face, id, name: `${id}.jpg`, ...patch })
}
const addSwap = (id: string, patch: Parameters<typeof makeTask>[0] = {}): void => {
  store.put(makeTask({ id, face: media.face('ada'), state: 'kept', ...patch }))
}

describe('the check box', () => {
  it('records who, under the name that was entered last, else the system’s name of the user', async () => {
    expect(consents.confirm('ada', true).confirmedAt).toBe(1000)
    expect(await consents.list()).toMatchObject([{ face: key, name: 'ada.jpg', by: userInfo().username, at: 1000 }])
    await consents.save(['ada'], { by: 'Ada Lovelace' })
    expect(lastName).toBe('Ada Lovelace')
    addFace('bob')
    consents.confirm('bob', true)
    expect(consents.get(hash('sha256', 'bob')).by).toBe('Ada Lovelace')
    expect(changes).toBe(3)
  })

  it('keeps the details when it is set again', async () => {
    await consents.save(['ada'], { purpose: 'Trailer' })
    now = 2000
    consents.confirm('ada', true)
    expect(consents.get(key)).toMatchObject({ purpose: 'Trailer', at: 1000 })
  })

  it.each<[string, () => Promise<void> | void, boolean]>([
    ['was never used', () => undefined, false],
    ['has a purpose', () => consents.save(['ada'], { purpose: 'Trailer' }), true],
    ['has a release', () => consents.save(['ada'], {}, file('release.pdf', 'signed')), true],
    ['is in a swap', () => { addSwap('one') }, true], // prettier-ignore
    ['is another photo in a swap', () => { addSwap('one', { face, pictures: [media.face('ada')] }) }, true], // prettier-ignore
  ])('cleared, of a consent that %s', async (_name, use, stays) => {
    consents.confirm('ada', true)
    await use()
    expect(consents.confirm('ada', false).confirmedAt !== null).toBe(stays)
  })
})

describe('texts', () => {
  it('lose control characters and characters that turn the direction', async () => {
    await consents.save(['ada'], { by: ' A\u0000da\u202e\n Byron ', note: 'one\r\ntwo\u0007' })
    expect(consents.get(key)).toMatchObject({ by: 'A da Byron', note: 'one\ntwo' })
  })

  it.each(['by', 'purpose', 'note'] as const)(
    'a %s of 10,000 characters is refused, and nothing is saved',
    async (field) => {
      const error = { code: 'consent-invalid', details: { field } }
      await expect(consents.save(['ada'], { [field]: 'x'.repeat(10_000) })).rejects.toMatchObject(error)
      expect(media.consents.of(key)).toBeNull()
    },
  )
})

describe('a release', () => {
  it('is copied under its hash, replaced and removed', async () => {
    await consents.save(['ada'], {}, file('Release.PDF', 'signed'))
    const sha256 = hash('sha256', 'signed')
    expect(consents.get(key).release).toEqual({ sha256, name: 'Release.PDF', sizeBytes: 6 })
    expect(releases()).toEqual([`${sha256}.pdf`])
    expect(readFileSync(consents.releasePath(key), 'utf8')).toBe('signed')
    expect(media.consentsOf([media.face('ada')])).toMatchObject([{ face: key, at: 1000, release: sha256 }])
    await consents.save(['ada'], { note: 'still there' })
    expect(releases()).toHaveLength(1)
    await consents.save(['ada'], {}, file('other.txt', 'another'))
    expect(releases()).toEqual([`${hash('sha256', 'another')}.txt`])
    await consents.save(['ada'], {}, null)
    expect([releases(), consents.get(key).release]).toEqual([[], null])
  })

  it('is given for several faces at once, and kept while one of them has it', async () => {
    addFace('bob')
    await consents.save(['ada', 'bob'], { purpose: 'Both' }, file('release.pdf', 'signed'))
    await consents.save([key], {}, null)
    expect(releases()).toHaveLength(1)
  })

  /** A file of zeros. */
  const sized = (bytes: number): string => {
    const path = file('scan.tiff', 'x')
    truncateSync(path, bytes)
    return path
  }
  const tooLarge = { code: 'release-refused', details: { reason: 'large', maxBytes: maxReleaseBytes } }

  it.each<[string, () => string, object]>([
    ['a folder', () => inDir(), { code: 'release-refused', details: { reason: 'folder' } }],
    ['an empty file', () => file('empty.pdf', ''), { code: 'file-empty', details: { name: 'empty.pdf' } }],
    ['a missing file', () => inDir('gone.pdf'), { code: 'file-missing', details: { name: 'gone.pdf' } }],
    ['a file above the limit', () => sized(maxReleaseBytes + 1), tooLarge],
  ])('%s is refused, and nothing is saved', async (_name, path, error) => {
    await expect(consents.save(['ada'], { purpose: 'x' }, path())).rejects.toMatchObject(error)
    expect(media.consents.of(key)).toBeNull()
    expect(releases()).toEqual([])
  })

  it('without space on the disk is refused, and nothing is left', async () => {
    free = () => 3
    const error = { code: 'disk-full', details: { name: 'release.pdf', needBytes: 6, freeBytes: 3 } }
    await expect(consents.save(['ada'], {}, file('release.pdf', 'signed'))).rejects.toMatchObject(error)
    expect(releases()).toEqual([])
  })

  it('that vanishes or shrinks while it is copied is refused, and nothing is left', async () => {
    const path = file('release.pdf', 'x'.repeat(5_000_000))
    free = () => {
      truncateSync(path, 10)
      rmSync(path)
      return 1e12
    }
    await expect(consents.save(['ada'], {}, path)).rejects.toMatchObject({ details: { name: 'release.pdf' } })
    expect(releases()).toEqual([])
    expect(media.consents.of(key)).toBeNull()
  })

  it('of 200 MB is copied', async () => {
    await consents.save(['ada'], {}, sized(200_000_000))
    expect(consents.get(key).release).toMatchObject({ name: 'scan.tiff', sizeBytes: 200_000_000 })
    expect(releases()).toHaveLength(1)
  })

  it('whose copy was changed or removed says so', async () => {
    await consents.save(['ada'], {}, file('release.pdf', 'signed'))
    writeFileSync(consents.releasePath(key), 'forged')
    expect((await faceRecord(key, media.consents, consents)).consents[0]?.release?.copy).toBe('changed')
    writeFileSync(consents.releasePath(key), 'another length')
    expect((await consents.list())[0]?.release?.state).toBe('changed')
    rmSync(consents.pathOf(consents.get(key).release ?? { sha256: '', name: '' }))
    expect((await consents.list())[0]?.release?.state).toBe('missing')
    expect(() => consents.releasePath(key)).toThrow('file-missing')
  })
})

describe('a withdrawn consent', () => {
  beforeEach(() => {
    consents.confirm('ada', true)
    now = 5000
  })

  it('ends swaps, and comes back only when it is given again', async () => {
    expect(consents.withdraw(key)).toEqual(['ended'])
    expect(media.face('ada')).toMatchObject({ confirmedAt: null, withdrawnAt: 5000 })
    expect(() => consents.confirm('ada', true)).toThrow('consent-withdrawn')
    await expect(consents.save(['ada'], { purpose: 'x' })).rejects.toMatchObject({ code: 'consent-withdrawn' })
    expect(consents.confirm('ada', false).withdrawnAt).toBe(5000)
    now = 6000
    consents.giveAgain(key)
    expect(media.face('ada')).toMatchObject({ confirmedAt: 6000, withdrawnAt: null })
    expect(media.consents.history(key)).toMatchObject([
      { at: 1000, withdrawnAt: 5000 },
      { at: 6000, withdrawnAt: null },
    ])
  })

  it('is taken back as it was', () => {
    const before = consents.get(key)
    consents.withdraw(key)
    consents.restore(key)
    expect(consents.get(key)).toEqual(before)
  })

  it('is not taken back if it was given again meanwhile', () => {
    consents.withdraw(key)
    consents.giveAgain(key)
    consents.restore(key)
    expect(media.consents.history(key)).toMatchObject([{ withdrawnAt: 5000 }, { withdrawnAt: null }])
  })

  it('is named by the pictures that need one; one that comes with Mien doesn’t', () => {
    consents.withdraw(key)
    const withdrawn = { code: 'consent-withdrawn', details: { name: 'ada.jpg' } }
    expect(media.withdrawn([media.face('ada')])).toEqual(withdrawn)
    expect(media.withdrawn([{ ...media.face('ada'), origin: 'sample' }])).toBeNull()
    expect(media.withdrawn([{ id: 'gone', name: 'gone.jpg', origin: null }])).toBeNull()
  })
})

describe('the list', () => {
  it('counts swaps with the face, also as another photo, and lists what comes with Mien', async () => {
    consents.confirm('ada', true)
    addFace('sample', { origin: 'sample' })
    addSwap('one')
    addSwap('two', { face: media.face('sample'), pictures: [media.face('ada')] })
    addSwap('three', { face: media.face('sample') })
    expect(await consents.list()).toMatchObject([
      { face: key, swaps: 2, origin: null },
      { name: 'sample.jpg', swaps: 2, origin: 'sample' },
    ])
    expect(media.consents.made(key).map(({ id }) => id)).toEqual(['one', 'two'])
  })

  it('keeps the picture when the swaps are gone', async () => {
    consents.confirm('ada', true)
    media.drop(['ada'])
    rmSync(inDir('thumb.jpg'))
    const [consent] = await consents.list()
    expect(readFileSync(media.path(consent?.pictureId ?? '') ?? '', 'utf8')).toBe('small picture')
  })

  it('shows what another program changed in the database, as far as it can be read', async () => {
    await consents.save(['ada'], { purpose: 'Trailer' }, file('release.pdf', 'signed'))
    db.prepare('UPDATE consents SET at = -5, given_by = ?, release_sha256 = ?, name = ?').run(
      'x'.repeat(100_000),
      '../../etc/passwd',
      'a\u0000b\u202e',
    )
    db.prepare("INSERT INTO consents (id, face, name, at, withdrawn_at) VALUES ('i', '\"><b>', '<b>', 9e17, 1)").run()
    const [odd, changed] = await consents.list()
    expect(changed).toMatchObject({ at: 0, purpose: 'Trailer', release: null, name: 'a b' })
    expect(changed?.by).toHaveLength(200)
    expect(odd).toMatchObject({ face: '"><b>', at: 0, pictureId: null })
    const records = await Promise.all(['"><b>', key].map((each) => faceRecord(each, media.consents, consents)))
    const exported: unknown = JSON.parse(exportJson(records, now))
    expect(exported).toMatchObject({ kind: 'consents', faces: [{}, { picture: { name: 'a b' } }] })
    expect(exportHtml(records, { language: 'en', now, pictured: new Set() })).not.toContain('<b>')
  })
})

it('a record has the picture’s hash, each consent, the release and the swaps', async () => {
  await consents.save(['ada'], { by: 'Ada <b>', purpose: 'Trailer', note: 'By mail' }, file('release.pdf', 'signed'))
  addSwap('one', { title: 'Film' })
  consents.withdraw(key)
  consents.giveAgain(key)
  const record = await faceRecord(key, media.consents, consents)
  const sha256 = hash('sha256', 'signed')
  expect(JSON.parse(exportJson([record], 0))).toMatchObject({
    exportedAt: '1970-01-01T00:00:00.000Z',
    faces: [
      {
        picture: { sha256: key, name: 'ada.jpg' },
        consents: [
          {
            ...{ givenBy: 'Ada <b>', givenAt: '1970-01-01T00:00:01.000Z', purpose: 'Trailer', note: 'By mail' },
            release: { sha256, name: 'release.pdf', sizeBytes: 6, copy: 'unchanged' },
            withdrawnAt: '1970-01-01T00:00:01.000Z',
          },
          { release: null, withdrawnAt: null },
        ],
        swaps: [{ id: 'one', title: 'Film' }],
      },
    ],
  })
  const html = exportHtml([record], { language: 'en', now: 0, pictured: new Set([key]) })
  for (const text of [key, sha256, 'Ada &lt;b&gt;', 'Trailer', `src="${key}.jpg"`, 'Film']) expect(html).toContain(text)
  expect(html).not.toContain('<b>')
})
