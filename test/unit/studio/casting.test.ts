import { defaultOptions } from '@shared/options/default-options.ts'
import { describe, expect, it, vi } from 'vitest'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { removePerson } from '../../../src/renderer/studio/logic/compose/people.ts'
import type { Composer } from '../../../src/renderer/studio/state/composer/composer.svelte.ts'
import { faceName, type Face } from '../../../src/renderer/studio/state/composer/faces.svelte.ts'
import type { Intake } from '../../../src/renderer/studio/state/intake.svelte.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { no } from '../../fixtures/fake-answers.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { crew, crewClip, threeFaces } from '../../fixtures/fake-people.ts'
import { clip, swap, unseenClip } from '../../fixtures/fake-tasks.ts'

interface Crewed {
  main: FakeMain
  made: Composer
  intake: Intake
  studio: Studio
}

async function crewed(faces = 3, start: FakeStart = {}): Promise<Crewed> {
  const main = new FakeMain({ faces: threeFaces(1), video: crewClip(), people: crew(), confirmed: true, ...start })
  const studio = new Studio(makeBridge(main.bridge))
  const { composer: made, intake } = studio
  made.start('this-computer', defaultOptions)
  for (let count = 0; count < faces; count += 1) await intake.addFace()
  await intake.chooseVideo()
  await vi.waitFor(() => expect(made.people.video).not.toBeNull())
  return { main, made, intake, studio }
}
const askedBy = (made: Composer): readonly Face[] => made.faces.toConfirm(made.casting.used)
const castOf = (made: Composer): string[] =>
  made.casting.entries.map(({ person, face }) => `${person.id}: ${faceName(face)}`)

describe('the people of a video', () => {
  it('are followed while the video is in the composer', async () => {
    const { main, made } = await crewed(1)
    expect(made.people.scanned).toBeNull()
    main.peopleChanged.emit({ videoId: 'another.mp4', ...crew({ people: [] }) })
    expect(made.people.list).toHaveLength(3)
    main.peopleChanged.emit({ ...main.peopleOf('crew.mp4'), scanned: 0.4 })
    expect(made.people.scanned).toBe(0.4)
    made.clear('video')
    expect(main.asked('stop')).toEqual(['crew.mp4'])
    expect(made.people.video).toBeNull()
  })

  it('are counted by how long they are seen in the part, for the estimate of a swap by a model', async () => {
    const { main, made } = await crewed(1)
    const last = (): unknown => main.estimates.at(-1)
    expect(made.modelWork).toEqual({})
    made.options = { ...defaultOptions, method: 'model-1' }
    await made.estimate()
    expect(last()).toMatchObject({ videoId: 'crew.mp4', model: { id: 'model-1', seenMs: 24_000 } })
    made.casting.choose('c', made.faces.list[0]?.key ?? null)
    await made.estimate()
    expect(last()).toMatchObject({ model: { seenMs: 29_000 } })
    main.peopleChanged.emit({ ...main.peopleOf('crew.mp4'), scanned: 0.4 })
    await made.estimate()
    expect(last()).toMatchObject({ model: { id: 'model-1', seenMs: null } })
    await made.runOn('a-service')
    expect(last()).not.toHaveProperty('model')
  })

  it('are not looked for in an address that was never opened here', async () => {
    const { made, intake } = await crewed(1)
    await intake.take([{ kind: 'video', name: '', read: () => Promise.resolve(unseenClip) }])
    expect(made.people.video).toBeNull()
    expect(made.casting.active).toBe(false)
  })

  it('are as before the correction if main refuses it', async () => {
    const main = new FakeMain({ video: crewClip(), people: crew() })
    vi.spyOn(main.bridge.people, 'correct').mockReturnValue(no('disk-full'))
    const { composer: made, intake } = new Studio(makeBridge(main.bridge))
    await intake.chooseVideo()
    await vi.waitFor(() => expect(made.people.list).toHaveLength(3))
    const correcting = made.people.correct(removePerson(made.people.list, 'a'))
    expect(made.people.list).toHaveLength(2)
    await expect(correcting).rejects.toMatchObject({ code: 'disk-full' })
    expect(made.people.list).toHaveLength(3)
  })

  it('wait for the end of the scan before they are corrected or sent', async () => {
    const { main, made } = await crewed(1, { people: crew({ scanned: 0.4 }) })
    await made.people.correct(removePerson(made.people.list, 'a'))
    expect(made.people.list).toHaveLength(3)
    expect(made.missing).toBe('people')
    await made.runOn('cloud')
    expect(made.missing).toBeNull()
    await made.runOn('this-computer')
    main.peopleChanged.emit({ ...main.peopleOf('crew.mp4'), scanned: 1 })
    expect(made.missing).toBeNull()
  })

  it('are waited for before one of two faces is swapped', async () => {
    const { main, made } = await crewed(2, { people: crew({ people: [], clips: [], scanned: 0.4 }) })
    await made.faces.confirm(askedBy(made), true)
    expect(made.missing).toBe('people')
    main.people = crew({ people: crew().people.slice(0, 1) })
    main.peopleChanged.emit(main.peopleOf('crew.mp4'))
    expect(made.missing).toBeNull()
  })

  it('are corrected with undo and redo, and a reset can be undone', async () => {
    const { main, made } = await crewed(1)
    const ids = (): string[] => made.people.list.map(({ id }) => id)
    await made.people.correct(removePerson(made.people.list, 'a'))
    await made.people.correct(removePerson(made.people.list, 'b'))
    expect(ids()).toEqual(['c'])
    await made.people.undo()
    expect(ids()).toEqual(['b', 'c'])
    await made.people.redo()
    expect(ids()).toEqual(['c'])
    expect(made.people.canRedo).toBe(false)
    await made.people.reset()
    expect(ids()).toEqual(['a', 'b', 'c'])
    await made.people.undo()
    expect(ids()).toEqual(['c'])
    expect(main.asked('correct')).toHaveLength(5)
  })
})

describe('casting', () => {
  it('does not happen with one face and one person', async () => {
    const people = crew({ people: crew().people.slice(0, 1) })
    const { main, made } = await crewed(1, { people })
    expect(made.casting.active).toBe(false)
    await made.submit()
    expect(main.asked('submit')).toEqual([expect.objectContaining({ faceId: 'mona-lisa.jpg', cast: [] })])
  })

  it('remembers choices while people are added and reordered, until another video comes', async () => {
    const { main, made, intake } = await crewed(2)
    made.casting.choose('c', made.faces.list[1]?.key ?? null)
    made.casting.choose('a', null)
    const [a, b, c] = main.people.people
    if (!a || !b || !c) throw new Error('The crew is three')
    const d = { id: 'd', name: null, clipIds: [30] }
    main.peopleChanged.emit({ ...main.peopleOf('crew.mp4'), people: [c, d, b, a] })
    expect(castOf(made)).toEqual(['c: Ada', 'b: Ada'])
    await intake.take([{ kind: 'video', name: '', read: () => Promise.resolve(clip({ id: 'second.mp4' })) }])
    await vi.waitFor(() => expect(castOf(made)).toEqual(['a: Lisa', 'b: Ada']))
  })

  it('keeps the face of a person when its photo is replaced', async () => {
    const { made, intake } = await crewed(2)
    made.casting.choose('c', made.faces.list[1]?.key ?? null)
    await intake.chooseFace()
    expect(castOf(made)).toEqual(['a: Lisa', 'b: Noor', 'c: Noor'])
  })

  it('asks for the consent of all faces that appear and still need it', async () => {
    const { main, made } = await crewed(3)
    expect(made.missing).toBe('consent')
    expect(askedBy(made).map(faceName)).toEqual(['Ada', 'Noor'])
    made.casting.choose('c', null)
    expect(askedBy(made).map(faceName)).toEqual(['Ada'])
    await made.faces.confirm(askedBy(made), true)
    expect(made.missing).toBeNull()
    expect(askedBy(made).map(faceName)).toEqual(['Ada'])
    expect(main.asked('confirmFace')).toEqual([{ faceId: 'ada.jpg', confirmed: true }])
  })

  it('cannot be sent when nobody becomes anybody', async () => {
    const { made } = await crewed(1)
    made.casting.choose('a', null)
    expect(made.missing).toBe('nobody')
    expect(await made.submit()).toBeNull()
  })

  it('leaves the largest face to an online service until the user chooses', async () => {
    const { main, made, intake } = await crewed(1)
    await made.runOn('cloud')
    await made.submit()
    expect(main.asked('submit')).toEqual([expect.objectContaining({ cast: [] })])
    await intake.chooseVideo()
    await vi.waitFor(() => expect(made.casting.active).toBe(true))
    made.casting.choose('b', made.faces.list[0]?.key ?? null)
    await made.submit()
    expect(main.asked('submit')[1]).toMatchObject({ cast: [{ personId: 'a' }, { personId: 'b' }] })
  })

  it('comes back with Swap again', async () => {
    const { made } = await crewed(0)
    const [lisa, ada] = threeFaces(1)
    if (!lisa || !ada) throw new Error('There are three faces')
    const entry = { personName: null, personFaceId: 'person-c.jpg' }
    const cast = [
      { ...entry, personId: 'b', face: ada, pictures: [{ ...ada, id: 'ada-2.jpg' }] },
      { ...entry, personId: 'c', face: lisa, pictures: [] },
    ]
    await made.prefill(swap('s', 1, { video: crewClip(), face: ada, cast }), ['face', 'video'])
    await vi.waitFor(() => expect(castOf(made)).toEqual(['b: Ada', 'c: Lisa']))
    expect(made.faces.list.map(({ pictures }) => pictures.length)).toEqual([2, 1])
    await made.prefill(swap('s', 1, { video: crewClip(), face: ada, cast }), ['video'])
    expect(made.faces.list).toEqual([])
  })
})

describe('a face that is wrong', () => {
  it('is told apart from the slot, which shows a face that is swapped', async () => {
    const { main, made, intake, studio } = await crewed(2)
    const unused = vi.spyOn(studio.toasts, 'show')
    main.refuse = { face: ['no-face-in-picture', {}] }
    await intake.addFace()
    expect(made.face).toMatchObject({ state: 'filled', media: { id: 'ada.jpg' } })
    made.faces.show(made.faces.list[0]?.key ?? 0)
    await intake.chooseFace()
    expect(made.faces.list.map(faceName)).toEqual(['Ada'])
    expect(made.face).toMatchObject({ state: 'filled', media: { id: 'ada.jpg' } })
    expect(unused).toHaveBeenCalledTimes(2)
    made.clear('face')
    await intake.chooseFace()
    expect(made.face.state).toBe('wrong')
    expect(unused).toHaveBeenCalledTimes(2)
  })
})
