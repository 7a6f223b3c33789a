/**
 * @file Random sequences of drops, choices, pastes, links, removals, Swap, Cancel and undo in the composer, with readings
 * that end late. What is shown is what is swapped, and the composer holds what docs/architecture/composer.md says.
 * `MIEN_MODEL_SEED` and `MIEN_MODEL_PATH`, as a failure names them, play a sequence again.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clip, monaLisa, swap } from '../../fixtures/fake-tasks.ts'
import { inVideo, World, type Kind } from './contents-world.ts'

type Run = (world: World) => Promise<void> | void
type Action = { readonly name: string; readonly run: Run; readonly [fc.toStringMethod]: () => string }
const act = (name: string, run: Run): Action => ({ name, run, [fc.toStringMethod]: () => name })

const kinds: readonly Kind[] = ['face', 'video']
const heldOf = ({ composer }: World, kind: Kind): string[] =>
  kind === 'face'
    ? composer.faces.list.map(({ pictures }) => pictures[0]?.id ?? '')
    : composer.contents.targets.map(({ id }) => id)

/** What is shown: names of what is read and of what has its place while it is read. */
const shownOf = (world: World, kind: Kind): string[] =>
  [
    ...heldOf(world, kind),
    ...world.composer.contents.placesOf(kind).map(({ name }) => name.slice(name.lastIndexOf('/') + 1)),
  ].sort()

type How = Parameters<World['rule']['face']['take']>[1]
const take = (world: World, names: readonly string[], kind: Kind, how: How) =>
  world.rule[kind].take(names, how, world.composer.isGrid)
/** Takes files of both kinds. Whether the grid is there before counts for faces; its faces count before its videos. */
function takeAll(world: World, names: readonly string[], how: How, isGrid = world.composer.isGrid): void {
  for (const kind of kinds) {
    const ofKind = names.filter((name) => name.startsWith(kind))
    world.rule[kind].take(ofKind, how, isGrid)
  }
}

const file = (name: string): File =>
  new File(['x'], name, { type: name.startsWith('face') ? 'image/jpeg' : 'video/mp4' })

const drop = (dropped: readonly Kind[], add: boolean): Action =>
  act(`drop ${dropped.join(' ')}${add ? ' to add' : ''}`, (world) => {
    const names = dropped.map((kind) => world.main.name(kind))
    takeAll(world, names, add ? 'add' : 'take')
    void world.intake.takeDropped(names.map(file), null, add)
  })
/** Drops the picture of a face again, maybe with others. */
const dropAgain = (at: number, add: boolean): Action =>
  act(`drop face ${String(at)} again${add ? ' to add' : ''}`, (world) => {
    const held = heldOf(world, 'face')
    const name = held[at % Math.max(1, held.length)]
    if (name === undefined) return
    const names = [name, ...(at % 2 === 1 ? [name] : [])].map((each) => world.main.nameAgain(each))
    take(world, names, 'face', add ? 'add' : 'take')
    void world.intake.takeDropped(names.map(file), null, add)
  })
const dropFolder = (): Action =>
  act('drop a folder', ({ intake, folders }) => {
    folders.push(`video-folder-${String(folders.length)}`)
    void intake.takeDropped([new File([], folders.at(-1) ?? '')], null)
  })
const answerSearch = (found: readonly Kind[]): Action =>
  act(`find ${found.join(' ')}`, (world) => {
    const search = world.main.searches.shift()
    if (!search) return
    const isGrid = world.composer.isGrid
    const names = search(found)
    // A folder without anything to use is shown as a file that can't be used.
    if (names.length === 0) names.push(...world.folders.slice(-1 - world.main.searches.length).slice(0, 1))
    takeAll(world, names, 'take', isGrid)
  })
/** A press of Replace, or of Add. Main reads what the user chooses later. */
const choose = (kind: Kind, add: boolean): Action =>
  act(`choose a ${kind}${add ? ' to add' : ''}`, (world) => {
    const { composer, intake, main } = world
    if (main.dialogs.length > 0) return
    const { shown } = composer.faces
    const replaced = composer.faces.list.length > 1 && shown?.pictures[0]?.id
    const inGrid = composer.isGrid
    const how = add || inGrid ? 'add' : replaced ? { replaces: replaced } : 'take'
    void (kind === 'video' ? intake.chooseVideo() : add ? intake.addFace() : intake.chooseFace())
    const dialog = main.dialogs.at(-1)
    if (dialog) world.chosenHow = kind === 'video' ? 'take' : how
  })
const pick = (picks: 'what is asked for' | 'a video' | 'nothing'): Action =>
  act(`pick ${picks}`, (world) => {
    const dialog = world.main.dialogs.shift()
    if (!dialog) return
    // A video that is chosen for a face has the face.
    const end = picks === 'a video' ? inVideo : ''
    const name = picks === 'nothing' ? null : `${world.main.name(dialog.kind)}${end}`
    if (name !== null) take(world, [name], dialog.kind, world.chosenHow)
    dialog.close(name)
  })
const paste = (kind: Kind): Action =>
  act(`paste a ${kind}`, (world) => {
    const name = world.main.name(kind)
    take(world, [name], kind, 'take')
    void world.intake.takeFound([{ token: name, name, mediaSlot: kind }], null)
  })
const link = act('open a link', (world) => {
  const name = world.main.name('video')
  const url = `https://a.example/${name}`
  take(world, [name], 'video', 'take')
  void world.intake.openAddress(url)
})
const answer = (kind: Kind, outcome: 'read' | 'wrong'): Action =>
  act(`main has read a ${kind}: ${outcome}`, (world) => {
    const name = world.main.answer(kind, outcome)
    if (name !== null) world.rule[kind].settle(name, outcome)
  })
const remove = (kind: Kind, at: number): Action =>
  act(`remove ${kind} ${String(at)}`, (world) => {
    const { faces, contents } = world.composer
    const held = heldOf(world, kind)
    const name = held[at % Math.max(1, held.length)]
    if (name === undefined) return
    const key = faces.list.find(({ pictures }) => pictures[0]?.id === name)?.key
    const item = world.rule[kind].items.find((each) => each.name === name)
    const undo = kind === 'video' ? contents.removeTarget(name) : contents.removeFace(key ?? 0)
    world.rule[kind].remove(name)
    world.undos.push(() => {
      undo()
      if (item) world.rule[kind].bringBack([item])
    })
  })
/** Looks at a face. One that isn't swapped says so, until a face comes. */
const look = (at: number): Action =>
  act(`look at face ${String(at)}`, (world) => {
    const { list } = world.composer.faces
    const face = list[at % Math.max(1, list.length)]
    if (!face) return
    world.composer.faces.show(face.key)
    world.looked = face.pictures[0]?.id ?? null
  })
const undo = act('undo', ({ undos }) => undos.pop()?.())
const cancel = (kind: Kind): Action =>
  act(`cancel the ${kind}`, (world) => {
    if (world.composer.contents.placesOf(kind).length === 0) return
    world.composer.clear(kind)
    world.rule[kind].cancel()
  })
const again = (parts: readonly Kind[]): Action =>
  act(`swap again with ${parts.join(' ')}`, async (world) => {
    const [face, video] = [world.main.name('face'), world.main.name('video')]
    const media = { face: { ...monaLisa(1), id: face, sha256: face }, video: clip({ id: video }) }
    for (const kind of kinds) {
      world.rule[kind].items = []
      if (parts.includes(kind)) world.rule[kind].more([{ face, video }[kind]], { removed: [] })
      world.rule[kind].settle({ face, video }[kind], 'read')
      world.rule[kind].use()
    }
    world.undos = []
    await world.composer.prefill(swap('x', 1, media), parts)
  })
/** Presses Swap, and checks what main is sent against what was shown. */
const press = act('Swap', async (world) => {
  const { composer, batch, main } = world
  const { looksAtUnused } = composer
  const shown = {
    isGrid: composer.isGrid,
    face: composer.face,
    video: composer.video,
    reading: composer.contents.reading,
  }
  const faces = composer.faces.list.flatMap(({ pictures }) => pictures[0]?.id ?? [])
  const targets = composer.contents.targets.map(({ id }) => id)
  const named = (shown.isGrid ? batch.used : composer.casting.used).flatMap(({ pictures }) => pictures[0]?.id ?? [])
  const before = main.sent.length
  const done = shown.isGrid ? await batch.submit('{face} {target}') : await composer.submit()
  const sent = main.sent.slice(before)
  expect(sent).toHaveLength(done === null ? 0 : 1)
  if (done === null) return
  expect(shown.reading, 'nothing is swapped while a file is read').toBeNull()
  const [drafts = []] = sent
  const used = new Set(drafts.flatMap(({ faceId, cast = [] }) => [faceId, ...cast.map((each) => each.faceId)]))
  expect([...used].sort(), 'the faces that the consent names').toEqual(named.sort())
  if (shown.isGrid) {
    expect(drafts.map(({ faceId, videoId }) => `${faceId} ${videoId}`)).toEqual(
      faces.flatMap((face) => targets.map((target) => `${face} ${target}`)),
    )
  } else {
    expect(drafts[0]?.videoId).toBe(shown.video.state === 'filled' ? shown.video.media.id : null)
    if (!looksAtUnused) expect(used).toContain(shown.face.state === 'filled' ? shown.face.media.id : null)
  }
  world.undos = []
  for (const kind of kinds) world.rule[kind].use()
  if (!composer.videoPinned) world.rule.video.items = []
})
const each = (wantsEach: boolean): Action =>
  act(wantsEach ? 'one swap for each face' : 'all faces in one swap', ({ composer }) => {
    composer.wantsEach = wantsEach
  })
const pin = (videoPinned: boolean): Action =>
  act(videoPinned ? 'pin the video' : 'let the video go', ({ composer }) => {
    composer.videoPinned = videoPinned
  })

const kind = fc.constantFrom(...kinds)
const some = fc.array(kind, { minLength: 1, maxLength: 4 })
const actions = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(some, fc.boolean()).map(([of, add]) => drop(of, add && of.length > 2)) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(3), fc.boolean()).map(([at, add]) => dropAgain(at, add)) },
  { weight: 2, arbitrary: fc.constantFrom(dropFolder()) },
  { weight: 2, arbitrary: fc.array(kind, { maxLength: 4 }).map(answerSearch) },
  {
    weight: 12,
    arbitrary: fc.tuple(kind, fc.constantFrom('read', 'read', 'read', 'wrong')).map(([of, out]) => answer(of, out)),
  },
  { weight: 5, arbitrary: fc.constant(press) },
  { weight: 2, arbitrary: fc.tuple(kind, fc.boolean()).map(([of, add]) => choose(of, add)) },
  { weight: 2, arbitrary: fc.constantFrom('what is asked for', 'a video', 'nothing').map(pick) },
  { weight: 1, arbitrary: kind.map(paste) },
  { weight: 1, arbitrary: fc.constant(link) },
  { weight: 1, arbitrary: fc.tuple(kind, fc.nat(3)).map(([of, at]) => remove(of, at)) },
  { weight: 1, arbitrary: fc.constant(undo) },
  { weight: 1, arbitrary: fc.nat(3).map(look) },
  { weight: 1, arbitrary: kind.map(cancel) },
  { weight: 1, arbitrary: fc.constantFrom(['face'] as const, ['video'] as const, kinds).map(again) },
  { weight: 1, arbitrary: fc.boolean().map(each) },
  { weight: 1, arbitrary: fc.boolean().map(pin) },
)

function check(world: World): void {
  const { composer, batch } = world
  for (const of of kinds) expect(shownOf(world, of), `the ${of}s that are shown`).toEqual(world.rule[of].names)
  const { face } = composer
  // An error in the place of something that would be swapped.
  const hidden = kinds.filter((of) => composer[of].state === 'wrong' && heldOf(world, of).length > 0)
  expect(hidden, 'what an error hides').toEqual([])
  if (composer.looksAtUnused)
    expect(face.state === 'filled' && face.media.id, 'what the user looks at').toBe(world.looked)
  if (composer.contents.reading === null) return
  expect([composer.missing, batch.missing, composer.draft]).toEqual(['reading', 'reading', null])
}

async function play(sequence: readonly Action[]): Promise<void> {
  const world = new World()
  const played: string[] = []
  try {
    for (const action of sequence) {
      played.push(action.name)
      await action.run(world)
      await world.settle()
      check(world)
    }
    // Everything that is still read is read in the end.
    while (world.main.searches.length > 0) {
      await answerSearch([]).run(world)
      await world.settle()
    }
    for (let isBusyStill = true; isBusyStill;) {
      await world.settle()
      isBusyStill = kinds.filter((of) => world.main.readings[of]).length > 0
      for (const of of kinds) await answer(of, 'read').run(world)
    }
    await world.settle()
    expect(world.composer.contents.reading).toBeNull()
    check(world)
    await press.run(world)
  } catch (error) {
    if (error instanceof Error) error.message = `${played.join(', ')}: ${error.message}`
    throw error
  }
}

const seed = Number(process.env['MIEN_MODEL_SEED'] ?? 20_261_126)
const path = process.env['MIEN_MODEL_PATH']
const replay = path === undefined ? {} : { path, endOnFailure: true }
const sequences = fc.array(actions, { minLength: 5, maxLength: 40, size: 'max' })
const prove = (runs: number) => fc.assert(fc.asyncProperty(sequences, play), { numRuns: runs, seed, ...replay })

it('gives no face the place of another, where a video replaced one that came with faces', () =>
  play([
    again(['face']),
    drop(['face'], false),
    drop(['face', 'video', 'face'], false),
    dropFolder(),
    answerSearch([]),
    answer('face', 'read'),
    drop(['face', 'video'], false),
  ]))

it('keeps one face of a picture that is dropped twice', async () => {
  const world = new World()
  const arrive = async (names: readonly string[]): Promise<void> => {
    void world.intake.takeDropped(names.map(file), null, true)
    for (let left = names.length; left > 0; left -= 1) {
      await world.settle()
      world.main.answer('face', 'read')
    }
    await world.settle()
  }
  const [one, other] = [world.main.name('face'), world.main.name('face')]
  await arrive([one, other])
  await arrive([world.main.nameAgain(one), world.main.nameAgain(one)])
  expect(heldOf(world, 'face')).toEqual([one, other])
  expect(world.composer.faces.latest?.pictures[0]?.id).toBe(one)
})

it('swaps what it shows, in 150 random sequences', () => prove(150))

it('swaps what it shows, in 100,000 random steps', { tags: ['long'] }, () => prove(5000))
