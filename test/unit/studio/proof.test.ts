import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { defaultOptions } from '@shared/options/default-options.ts'
import type { ProofMoment, ProofState } from '@shared/people/proof.ts'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { pictureAt } from '../../../src/renderer/studio/logic/pictures/timed-picture.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { no } from '../../fixtures/fake-answers.ts'
import type { FakeMain } from '../../fixtures/fake-bridge.ts'
import { crew } from '../../fixtures/fake-people.ts'
import { clip } from '../../fixtures/fake-tasks.ts'
import { startFilled } from './open-studio.ts'

HTMLVideoElement.prototype.requestVideoFrameCallback = () => 1
HTMLVideoElement.prototype.cancelVideoFrameCallback = () => undefined

let main: FakeMain
let studio: Studio

beforeEach(async () => {
  ;({ main, studio } = await startFilled({ confirmed: true }))
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue()
  vi.spyOn(HTMLMediaElement.prototype, 'pause').mockReturnValue()
})

/** What Swap would start. */
function draftOf({ composer: { draft } }: Studio): NonNullable<Studio['composer']['draft']> {
  if (!draft) throw new Error('something is missing')
  return draft
}
const moment = (kind: ProofMoment['kind'], fromMs: number, mediaId: string | null = null): ProofMoment => ({
  ...{ kind, fromMs, toMs: fromMs + 1500, personId: null },
  ...{ mediaId, coverId: mediaId && `${mediaId}.jpg` },
})
const tell = (state: Partial<ProofState>, id = '1'): void =>
  main.proofChanged.emit({ id, stage: 'swapping', share: 0, moments: [], ...state })
const turned = moment('turned', 1000, 'a')
const fast = moment('fast', 4000, 'b')

it.each([
  [-1, 'a'],
  [0, 'a'],
  [0.0385, 'b'],
  [0.07, 'b'],
  [9, 'c'],
])('the picture at %s s is %s', (time, picture) => {
  const pictures = ['a', 'b', 'c'].map((each, index) => ({ time: 0.04 * index, picture: each }))
  expect(pictureAt(pictures, time)).toBe(picture)
  expect(pictureAt([], time)).toBeNull()
})

describe('a proof', () => {
  it('is of what Swap would start, and is left when that changes', async () => {
    const { composer } = studio
    const { proof } = composer
    const draft = draftOf(studio)
    expect(composer.hasProof).toBe(true)
    const begun = proof.begin(draft)
    expect(main.asked('beginProof')).toEqual([{ id: '1', draft }])
    tell({ stage: 'ready', moments: [turned] })
    await begun
    composer.title = 'Another title'
    expect(proof.isOutdated(composer.draft)).toBe(false)
    composer.options = { ...defaultOptions, likeness: 20 }
    expect(proof.isOutdated(composer.draft)).toBe(true)
    proof.leave()
    expect(main.asked('stopProof')).toHaveLength(1)
    expect(proof.isOutdated(composer.draft)).toBe(false)
  })

  it('ignores what an earlier one says', () => {
    const { proof } = studio.composer
    for (let times = 0; times < 2; times += 1) void proof.begin(draftOf(studio))
    tell({ moments: [turned] }, '1')
    expect(proof.moments).toEqual([])
    tell({ moments: [turned] }, '2')
    expect(proof.shown).toEqual(turned)
  })

  it('fails with the reason, of the call or later', async () => {
    const { proof } = studio.composer
    const draft = draftOf(studio)
    const begun = proof.begin(draft)
    tell({ error: { code: 'no-face-in-video', details: {} } })
    await expect(begun).rejects.toMatchObject({ code: 'no-face-in-video' })
    expect(proof.state).toBeNull()
    vi.spyOn(main.bridge.proof, 'begin').mockReturnValue(no('forbidden'))
    const { composer } = new Studio(makeBridge(main.bridge))
    await expect(composer.proof.begin(draft)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('shows what is swapped so far, and goes round', () => {
    const { proof } = studio.composer
    void proof.begin(draftOf(studio))
    tell({ moments: [turned, moment('fast', 4000)] })
    proof.step(1)
    expect(proof.shown).toEqual(turned)
    tell({ moments: [turned, fast] })
    proof.step(1)
    expect(proof.shown).toEqual(fast)
    proof.step(1)
    expect(proof.shown).toEqual(turned)
    expect(proof.lengthMs).toBe(3000)
  })

  it('is not offered for online services and pictures', async () => {
    const { composer, intake } = studio
    await composer.runOn('cloud')
    expect(composer.hasProof).toBe(false)
    await composer.runOn('this-computer')
    if (composer.video.state !== 'filled') throw new Error('there is a video')
    const picture = { ...composer.video.media, id: 'still', kind: 'picture' as const, durationMs: 0 }
    await intake.take([{ kind: 'video', name: 'still', read: () => Promise.resolve(picture) }])
    expect(composer.hasProof).toBe(false)
  })
})

describe('the composer', () => {
  beforeEach(async () => {
    render(App, { studio })
    await screen.findByRole('textbox', { name: 'Title' })
  })
  const key = (name: string): Promise<boolean> => fireEvent.keyDown(document.body, { key: name })
  const started = async (...moments: ProofMoment[]): Promise<void> => {
    await key('p')
    tell({ stage: 'ready', share: 1, moments })
  }

  it('says why the proof goes when the scan finds somebody else, but not after a change by the user', async () => {
    await started(turned)
    studio.composer.options = { ...defaultOptions, likeness: 20 }
    await vi.waitFor(() => expect(studio.composer.proof.state).toBeNull())
    expect(screen.queryByText('The proof was closed')).toBeNull()
    await key('p')
    tell({ stage: 'ready', share: 1, moments: [turned] }, '2')
    main.people = crew({ scanned: 0.5 })
    main.peopleChanged.emit(main.peopleOf(clip().id))
    await screen.findByText('The proof was closed')
    expect(studio.composer.proof.state).toBeNull()
  })

  it('begins with P, but not while somebody types, and says how far it is', async () => {
    await fireEvent.keyDown(screen.getByRole('textbox', { name: 'Title' }), { key: 'p' })
    expect(main.asked('beginProof')).toEqual([])
    await key('p')
    await screen.findByRole('button', { name: 'Cancel' })
    expect(screen.getByText('Looking for the hardest moments')).toBeTruthy()
    tell({ moments: [turned, moment('fast', 4000)], share: 0.5 })
    await screen.findByText('Swapping moment 2 of 2')
    await screen.findByText('Proof 1 of 2, looping')
    expect(screen.getByRole('progressbar', { name: 'Proof' }).getAttribute('aria-valuenow')).toBe('50')
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await screen.findByRole('button', { name: 'Swap' })
    expect(main.asked('stopProof')).toHaveLength(1)
  })

  it('goes through the moments by keys, shows the original while B is held, and closes', async () => {
    await started(turned, fast)
    const tiles = within(await screen.findByRole('group', { name: 'Proof' }))
    expect(tiles.getAllByRole('button').map(({ textContent }) => textContent.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Turned away 0:02',
      'Fast motion 0:05',
    ])
    await key('ArrowRight')
    await screen.findByText('Proof 2 of 2, looping')
    await key('b')
    await screen.findByText('Original')
    await fireEvent.keyUp(document.body, { key: 'b' })
    await screen.findByText('Proof 2 of 2, looping')
    // Somebody types.
    await fireEvent.keyDown(screen.getByRole('textbox', { name: 'Title' }), { key: 'ArrowLeft' })
    expect(screen.getByText('Proof 2 of 2, looping')).toBeTruthy()
    await key('Escape')
    await screen.findByRole('button', { name: 'Swap' })
    expect(screen.queryByText(/^Proof \d/)).toBeNull()
  })

  it('swaps all with the same draft, or goes to the options', async () => {
    await started(turned)
    expect(await screen.findByText('Proof ready: 1 moment, 1.5 s of video')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Change options…' }))
    await screen.findByRole('complementary', { name: 'Options' })
    expect(main.asked('stopProof')).toHaveLength(1)
    await key('p')
    tell({ stage: 'ready', share: 1, moments: [turned] }, '2')
    await screen.findByRole('button', { name: /^Looks right, swap all/ })
    await fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
    await vi.waitFor(() => expect(main.asked('submit')).toHaveLength(1))
    const [begun] = main.asked('beginProof') as { draft: unknown }[]
    expect(main.asked('submit')[0]).toEqual(begun?.draft)
    expect(main.asked('stopProof')).toHaveLength(2)
  })
})
