import { defaultOptions } from '@shared/options/default-options.ts'
import { tick } from 'svelte'
import { describe, expect, it } from 'vitest'
import { MienError } from '@shared/mien-error.ts'
import type { VideoMedia } from '@shared/tasks/task.ts'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { addressIn, mediaKindOf } from '../../../src/shared/files/media-names.ts'
import { titleFromName } from '../../../src/shared/files/title.ts'
import type { Composer } from '../../../src/renderer/studio/state/composer/composer.svelte.ts'
import type { Intake } from '../../../src/renderer/studio/state/intake.svelte.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { crew } from '../../fixtures/fake-people.ts'
import { clip, cloud, monaLisa, swap } from '../../fixtures/fake-tasks.ts'
import { chooseBoth } from './open-studio.ts'

function composer(start: FakeStart = {}): { main: FakeMain; made: Composer; intake: Intake } {
  const main = new FakeMain(start)
  const { composer: made, intake } = new Studio(makeBridge(main.bridge))
  made.start('this-computer', defaultOptions)
  return { main, made, intake }
}

describe('what is missing', () => {
  it('is named one thing at a time until the swap can be made', async () => {
    const { made, intake } = composer()
    expect(made.missing).toBe('face-and-video')
    await intake.chooseFace()
    expect(made.missing).toBe('video')
    await intake.chooseVideo()
    expect(made.missing).toBe('consent')
    await made.faces.confirm(made.faces.list, true)
    expect(made.missing).toBeNull()
    made.title = ' '
    expect(made.missing).toBe('title')
  })
})

describe('the slots', () => {
  it('show what is wrong, with the file’s name', async () => {
    const { made, intake } = composer({ refuse: { video: ['not-a-video', { name: 'notes.mp4' }] } })
    await intake.takeDropped([new File(['text'], 'notes.mp4')], null)
    expect(made.video).toMatchObject({ state: 'wrong', name: 'notes.mp4', error: { code: 'not-a-video' } })
    made.clear('video')
    expect(made.video.state).toBe('empty')
  })

  it('show progress of a download, and take no late answer after it was stopped', async () => {
    const { main, made, intake } = composer()
    const { promise, resolve: answer } = Promise.withResolvers<VideoMedia>()
    const reading = intake.take([{ kind: 'video', name: 'big.mp4', read: () => promise }])
    expect(made.video).toEqual({ state: 'reading', name: 'big.mp4', share: null })
    await tick()
    main.downloading.emit({ share: 0.5 })
    expect(made.video).toEqual({ state: 'reading', name: 'big.mp4', share: 0.5 })
    made.clear('video')
    expect(main.calls).toContainEqual({ method: 'stop', argument: { mediaSlot: 'video' } })
    answer(clip())
    await reading
    expect(made.video.state).toBe('empty')
  })

  it('try an address again by what was typed, not by the file’s name in it', async () => {
    const { made, intake } = composer({
      refuse: { video: ['address-silent', { name: 'clip.mp4', host: 'x.example' }] },
    })
    await intake.openAddress('https://x.example/a/clip.mp4')
    expect(made.video).toMatchObject({ state: 'wrong', source: { address: 'https://x.example/a/clip.mp4' } })
  })
})

describe('the title', () => {
  it('comes from the file until it is typed', async () => {
    const { made, intake } = composer()
    await intake.chooseVideo()
    expect(made.title).toBe('Astronaut clip')
    made.title = 'Mine'
    await intake.chooseVideo()
    expect(made.title).toBe('Mine')
    made.title = ''
    await intake.chooseVideo()
    expect(made.title).toBe('Astronaut clip')
  })

  it('does not stay that of a video whose place a wrong file took', async () => {
    const { made, intake } = composer()
    await intake.chooseVideo()
    await intake.take([{ kind: 'video', name: 'notes.mp4', read: () => Promise.reject(new MienError('not-a-video')) }])
    expect(made.title).toBe('')
  })

  it.each([
    ['astronaut-clip.mp4', 'Astronaut clip'],
    ['IMG_2044.MOV', 'IMG 2044'],
    ['my.holiday.2025.mp4', 'My holiday 2025'],
    ['  spaced   out .webm', 'Spaced out'],
    ['.mp4', '.mp4'],
  ])('of %s is %s', (name, title) => expect(titleFromName(name)).toBe(title === '.mp4' ? '' : title))
})

describe('submitting', () => {
  it('sends what was put together, keeps the face and empties the video', async () => {
    const { main, made, intake } = composer({ confirmed: true })
    await chooseBoth(intake)
    expect(made.estimateMs).toBe(12_000)
    expect(await made.submit()).toBe('task-1')
    const draft = { faceId: 'mona-lisa.jpg', videoId: 'astronaut-clip.mp4', title: 'Astronaut clip' }
    const rest = { pictureIds: [], cast: [], range: null, profileId: 'this-computer', options: defaultOptions }
    expect(main.asked('submit')).toEqual([{ ...draft, ...rest }])
    expect([made.face.state, made.video.state, made.title, made.estimateMs]).toEqual(['filled', 'empty', '', null])
  })

  it('does nothing while something is missing', async () => {
    const { main, made } = composer()
    expect(await made.submit()).toBeNull()
    expect(main.calls).toEqual([])
  })

  it('starts again from an earlier swap, without the part that was wrong', async () => {
    const { made } = composer()
    await made.prefill(swap('x', 1, { profileId: cloud.id, title: 'Take 1' }), ['face'])
    expect([made.face.state, made.video.state, made.profileId]).toEqual(['filled', 'empty', 'cloud'])
    await made.prefill(swap('x', 1, { title: 'Take 1' }), ['face', 'video'])
    expect([made.video.state, made.title, made.missing]).toEqual(['filled', 'Take 1', null])
  })
})

describe('more pictures of the person', () => {
  const others = ['side.jpg', 'calm.jpg'].map((id) => ({ ...monaLisa(null), id, name: id }))
  const withFace = async (confirmed: boolean) => {
    const { main, made, intake } = composer()
    await intake.chooseFace()
    if (confirmed) await made.faces.confirm(made.faces.list, true)
    main.morePictures = others
    expect(await made.faces.addPictures()).toEqual({ failed: [], left: 0 })
    return { main, made, intake }
  }
  const ids = (made: Composer): string[] => made.faces.pictures.map(({ id }) => id)

  it.each([true, false])('are confirmed with the first, before they were added: %s', async (before) => {
    const { made } = await withFace(before)
    expect(ids(made)).toEqual(['mona-lisa.jpg', 'side.jpg', 'calm.jpg'])
    expect(made.faces.areConfirmed(made.faces.list)).toBe(before)
    await made.faces.confirm(made.faces.list, true)
    expect(made.faces.areConfirmed(made.faces.list)).toBe(true)
  })

  it('are removed one by one; the next takes the place of the first', async () => {
    const { made } = await withFace(true)
    made.faces.showPicture('calm.jpg')
    expect(made.faces.shownPicture?.id).toBe('calm.jpg')
    made.faces.removePicture('mona-lisa.jpg')
    expect(ids(made)).toEqual(['side.jpg', 'calm.jpg'])
    expect(made.faces.shownPicture?.id).toBe('calm.jpg')
    made.faces.removePicture('calm.jpg')
    expect(made.faces.shownPicture?.id).toBe('side.jpg')
    made.faces.removePicture('side.jpg')
    expect(made.face.state).toBe('empty')
  })

  it('are each there once', async () => {
    const { main, made } = await withFace(true)
    main.morePictures = [{ ...monaLisa(1), id: '1.jpg', sha256: 'same' }]
    await made.faces.addPictures()
    await made.faces.addPictures()
    expect(ids(made)).toEqual(['mona-lisa.jpg', 'side.jpg', 'calm.jpg', '1.jpg'])
  })

  it('leave with the person', async () => {
    const { made, intake } = await withFace(true)
    await intake.chooseFace()
    expect(ids(made)).toEqual(['mona-lisa.jpg'])
  })

  it('are at most ten, and those that cannot be used are named', async () => {
    const { main, made, intake } = composer()
    await intake.chooseFace()
    main.morePictures = Array.from({ length: 12 }, (_, n) => ({ ...monaLisa(1), id: `${String(n)}.jpg` }))
    main.unusable = [{ name: 'cat.jpg', error: { code: 'no-face-in-picture', details: {} } }]
    expect(await made.faces.addPictures()).toEqual({ failed: main.unusable, left: 3 })
    expect(made.faces.pictures).toHaveLength(10)
    expect(await made.faces.addPictures()).toEqual({ failed: [], left: 0 })
  })

  it('are sent with the options, and come back with them', async () => {
    const { main, made, intake } = await withFace(true)
    await intake.chooseVideo()
    const options = (made.options = { ...defaultOptions, likeness: 90, keep: ['mouth'] })
    await made.submit()
    expect(main.asked('submit')).toMatchObject([{ pictureIds: ['side.jpg', 'calm.jpg'], options }])
    const earlier = { ...defaultOptions, likeness: 10, keep: [] }
    await made.prefill(swap('x', 1, { pictures: others, options: earlier }), ['face'])
    expect(ids(made)).toHaveLength(3)
    expect(made.options).toEqual(earlier)
  })
})

describe('what is dropped', () => {
  it.each([
    [{ type: 'image/jpeg', name: 'a.jpg' }, 'face'],
    [{ type: 'video/mp4', name: 'a.mp4' }, 'video'],
    [{ type: '', name: 'a.MKV' }, 'video'],
    [{ type: '', name: 'a.heic' }, 'face'],
    [{ type: 'text/plain', name: 'a.txt' }, null],
  ])('%j belongs to %s', (file, mediaSlot) => expect(mediaKindOf(file.name, file.type)).toBe(mediaSlot))

  it.each([
    [' https://a.example/b.mp4 ', 'https://a.example/b.mp4'],
    ['see https://a.example', null],
    ['ftp://a.example', null],
    ['', null],
  ])('%j as an address is %j', (text, url) => expect(addressIn(text)).toBe(url))
})

it('ends the searches of targets before it begins others, because one may go on', async () => {
  const bridge = makeBridge(new FakeMain({ people: crew({ scanned: 0.4 }) }).bridge)
  const said: string[] = []
  const people: typeof bridge.people = {
    ...bridge.people,
    of: (video) => (said.push(`of ${video.videoId}`), bridge.people.of(video)),
    stop: (video) => (said.push(`stop ${video.videoId}`), bridge.people.stop(video)),
  }
  const { composer, intake } = new Studio({ ...bridge, people })
  const target = (id: string) => () => Promise.resolve(clip({ id, faces: [] }))
  await intake.take(['a', 'b', 'c'].map((name) => ({ kind: 'video', name, read: target(name) })))
  composer.contents.removeTarget('a')
  said.length = 0
  const bringBack = composer.contents.removeTarget('b')
  expect(said.splice(0)).toEqual(['stop b', 'stop c', 'of c'])
  bringBack()
  expect(said).toEqual(['stop c', 'of b', 'of c'])
})
