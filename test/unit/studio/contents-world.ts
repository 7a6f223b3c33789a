/** @file The composer with a main process whose readings end when the test says so, and the rule of what it holds. */
import { tick } from 'svelte'
import { defaultOptions } from '@shared/options/default-options.ts'
import { MienError } from '@shared/mien-error.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import type { Draft, FaceMedia, VideoMedia } from '@shared/tasks/task.ts'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import type { Batch } from '../../../src/renderer/studio/state/composer/batch.svelte.ts'
import type { Composer } from '../../../src/renderer/studio/state/composer/composer.svelte.ts'
import type { Intake } from '../../../src/renderer/studio/state/intake.svelte.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { crew } from '../../fixtures/fake-people.ts'
import { clip, monaLisa } from '../../fixtures/fake-tasks.ts'

export type Kind = 'face' | 'video'
type Media = FaceMedia | VideoMedia

/** What a reading of main becomes. */
export type Outcome = 'read' | 'wrong'

interface MainReading {
  name: string
  resolve: (media: Media) => void
  reject: (error: Error) => void
}

/** End of the name of a face in a video. */
export const inVideo = ' in a video'
const kindOf = (name: string): Kind => (name.startsWith('face') && !name.endsWith(inVideo) ? 'face' : 'video')
/** How many people each video has; its name says so. */
const peopleIn = (name: string): number => (name.includes('two') ? 2 : 1)

/** Behind the name of a file whose content came under the name before. */
const again = '~'
const contentOf = (name: string): string => name.split(again)[0] ?? name

const mediaOf = (kind: Kind, id: string): Media =>
  kind === 'face'
    ? { ...monaLisa(1), id, name: `${id}.jpg`, sha256: contentOf(id) }
    : clip({
        id,
        name: `${id}.mp4`,
        faces: clip().faces.flatMap((face) => Array.from({ length: peopleIn(id) }, () => face)),
      })

/** Of all worlds. They keep nothing in it. */
const fake = new FakeMain({ confirmed: true })
const real = makeBridge(fake.bridge)

/** Main: reads one file of a kind at a time; a new one stops the one before. */
export class SlowMain {
  /** Swaps that were asked for, by press of the button. */
  readonly sent: (readonly Draft[])[] = []
  readonly bridge: Bridge
  readonly readings: Record<Kind, MainReading | null> = { face: null, video: null }
  /** Dialogs that are open. */
  readonly dialogs: { kind: Kind; close: (name: string | null) => void }[] = []
  /** Searches of dropped folders. */
  readonly searches: ((kinds: readonly Kind[]) => string[])[] = []
  #count = 0

  constructor() {
    const face = async (name: string) => ({ pictures: [(await this.#read('face', name)) as FaceMedia], people: [] })
    const video = (name: string) => this.#read('video', name) as Promise<VideoMedia>
    const people: Bridge['people'] = {
      ...real.people,
      of: ({ videoId }) => {
        const all = crew({ scanned: 1 })
        return Promise.resolve({ videoId, ...all, people: all.people.slice(0, peopleIn(videoId)) })
      },
    }
    const intake: Bridge['intake'] = {
      ...real.intake,
      dropFace: (file) => face(file.name),
      dropVideo: (file) => video(file.name),
      foundFace: ({ token }) => face(token),
      foundVideo: ({ token }) => video(token),
      openAddress: ({ url }) => video(url.slice(url.lastIndexOf('/') + 1)),
      chooseFiles: async ({ mediaSlot }) => {
        const kind = mediaSlot ?? 'video'
        const name = await this.#dialog(kind)
        const files = name === null ? [] : [{ token: name, name, mediaSlot: kindOf(name) }]
        return { files, unusable: [], max: null }
      },
      find: () =>
        new Promise((resolve) =>
          this.searches.push((kinds) => {
            const files = kinds.map((kind) => ({ token: this.name(kind), mediaSlot: kind }))
            resolve({ files: files.map((file) => ({ ...file, name: file.token })), unusable: [], max: null })
            return files.map(({ token }) => token)
          }),
        ),
      stop: ({ mediaSlot }) => {
        this.#stop(mediaSlot)
        return Promise.resolve()
      },
    }
    const tasks: Bridge['tasks'] = {
      ...real.tasks,
      submit: (draft) => {
        this.sent.push([draft])
        return Promise.resolve({ taskId: 'swap' })
      },
      submitAll: ({ drafts }) => {
        this.sent.push(drafts)
        return Promise.resolve({ numbers: Uint32Array.from(drafts.keys()) })
      },
    }
    this.bridge = { ...real, intake, people, tasks }
  }

  /** A new name; every other video has two people. */
  name(kind: Kind): string {
    const name = `${kind}-${this.#count % 2 === 0 ? 'two' : 'one'}-${String(this.#count)}`
    this.#count += 1
    return name
  }

  /** A new name for the content of another file. */
  nameAgain(other: string): string {
    this.#count += 1
    return `${contentOf(other)}${again}${String(this.#count)}`
  }

  answer(kind: Kind, outcome: Outcome): string | null {
    const reading = this.readings[kind]
    if (!reading) return null
    this.readings[kind] = null
    if (outcome === 'read') reading.resolve(mediaOf(kind, reading.name))
    else reading.reject(new MienError(kind === 'face' ? 'no-face-in-picture' : 'not-a-video', { name: reading.name }))
    return reading.name
  }

  #read(kind: Kind, name: string): Promise<Media> {
    this.#stop(kind)
    const { promise, resolve, reject } = Promise.withResolvers<Media>()
    this.readings[kind] = { name, resolve, reject }
    return promise
  }

  #stop(kind: Kind): void {
    this.readings[kind]?.reject(new MienError('cancelled'))
    this.readings[kind] = null
  }

  #dialog(kind: Kind): Promise<string | null> {
    return new Promise((resolve) => this.dialogs.push({ kind, close: resolve }))
  }
}

interface Arrival {
  readonly removed: readonly Item[]
}
interface Item {
  readonly name: string
  /** It came after the last swap. */
  readonly fresh: boolean
  readonly arrival: Arrival | null
  readonly isRead: boolean
}

/** The rule of docs/architecture/composer.md, for one kind. */
export class Rule {
  items: readonly Item[] = []

  /** @param how as `How`, with the name of the face that is replaced */
  take(names: readonly string[], how: 'take' | 'add' | { replaces: string }, isGrid: boolean): Arrival | null {
    if (names.length === 0) return null
    const fresh = this.items.filter((item) => item.fresh)
    const isSlot = how === 'take' && !isGrid && fresh.length <= 1
    const kept = this.items.filter((item) =>
      how === 'add' ? true : how === 'take' ? !isSlot && item.fresh : item.name !== how.replaces,
    )
    const gone = this.items.filter((item) => !kept.includes(item))
    // What is replaced while it is still read never was there.
    const removed = gone.flatMap((item) => (item.isRead ? [item] : (item.arrival?.removed ?? [])))
    this.items = kept
    const arrival = { removed }
    this.more(names, arrival)
    return arrival
  }

  more(names: readonly string[], arrival: Arrival): void {
    this.items = [...this.items, ...names.map((name) => ({ name, fresh: true, arrival, isRead: false }))]
  }

  /** Of files with the same content, the first stays. */
  settle(name: string, outcome: Outcome): void {
    const same = outcome === 'read' ? this.#sameAs(name) : undefined
    this.items = this.items.flatMap((item) => {
      if (item === same) return [{ ...item, fresh: true }]
      if (item.name !== name) return [item]
      return outcome === 'read' && !same ? [{ ...item, isRead: true }] : []
    })
  }

  #sameAs(name: string): Item | undefined {
    return this.items.find((item) => item.isRead && item.name !== name && contentOf(item.name) === contentOf(name))
  }

  /** What was removed comes back, unless it came again meanwhile. */
  bringBack(items: readonly Item[]): void {
    for (const item of items)
      if (!this.items.some(({ name }) => name === item.name) && !this.#sameAs(item.name))
        this.items = [...this.items, item]
  }

  cancel(): void {
    const stopped = new Set(this.items.filter(({ isRead }) => !isRead).map(({ arrival }) => arrival))
    this.items = this.items.filter(({ arrival }) => !stopped.has(arrival))
    for (const arrival of [...stopped].toReversed()) this.bringBack(arrival?.removed ?? [])
  }

  remove(name: string): void {
    this.items = this.items.filter((item) => item.name !== name)
  }

  use(): void {
    this.items = this.items.map((item) => ({ ...item, fresh: false }))
  }

  get names(): string[] {
    return this.items.map(({ name }) => name).sort()
  }
}

export class World {
  readonly main = new SlowMain()
  readonly composer: Composer
  readonly batch: Batch
  readonly intake: Intake
  readonly rule: Record<Kind, Rule> = { face: new Rule(), video: new Rule() }
  undos: (() => void)[] = []
  /** Names of dropped folders. */
  readonly folders: string[] = []
  /** What becomes of the file that is chosen in the open dialog. */
  chosenHow: Parameters<Rule['take']>[1] = 'take'
  /** The face that the user looked at last. */
  looked: string | null = null

  constructor() {
    const { composer, batch, intake } = new Studio(this.main.bridge)
    composer.start('this-computer', defaultOptions)
    this.composer = composer
    this.batch = batch
    this.intake = intake
  }

  async settle(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    await tick()
  }
}
