/** @file Who becomes whom: the user's choices for the composer's video, and the defaults for the others. */
import type { Person } from '@shared/people/people.ts'
import type { Draft } from '@shared/tasks/task.ts'
import { castOf, type Choice } from '../../logic/compose/cast.ts'
import type { Face, FacesState } from './faces.svelte.ts'
import type { PeopleState } from './people.svelte.ts'

export class Casting {
  #choices = $state.raw<ReadonlyMap<string, Choice>>(new Map())
  #placed = $state.raw<ReadonlySet<number>>(new Set())

  /** The person whose card was used last. */
  chosenId = $state<string | null>(null)
  /** The user chose, instead of leaving it at the defaults. */
  #isChosen = $state(false)

  /** There is something to choose. Otherwise the largest face becomes the first one. */
  readonly active = $derived.by(() => {
    const people = this.people.list.length
    return people > 1 || (people === 1 && this.faces.list.length > 1)
  })
  readonly #cast = $derived.by(() =>
    castOf({
      people: this.people.list.map(({ id }) => id),
      faces: this.faces.list.map(({ key }) => key),
      choices: this.#choices,
      placed: this.#placed,
    }),
  )
  /** People who become a face. */
  readonly entries = $derived.by((): { person: Person; face: Face }[] =>
    this.people.list.flatMap((person) => {
      const face = this.faceOf(person.id)
      return face === null ? [] : [{ person, face }]
    }),
  )
  /** Faces that appear in the swap. */
  readonly used = $derived.by((): readonly Face[] => {
    if (!this.active) return this.faces.latest === null ? [] : [this.faces.latest]
    const keys = new Set(this.#cast.values())
    return this.faces.list.filter(({ key }) => keys.has(key))
  })

  constructor(
    private readonly people: PeopleState,
    private readonly faces: FacesState,
  ) {}

  /** The face that a person becomes; null: they stay as they are. */
  faceOf(personId: string): Face | null {
    const key = this.#cast.get(personId) ?? null
    return this.faces.list.find((face) => face.key === key) ?? null
  }

  choose(personId: string, choice: Choice): void {
    this.keep()
    this.#isChosen = true
    this.#choices = new Map([...this.#choices, [personId, choice]])
  }

  /** Gives a person a new face, which nobody else becomes by default. */
  give(personId: string, key: number): void {
    this.choose(personId, key)
    this.#choices = new Map([...this.#choices].filter(([id, choice]) => choice !== key || id === personId))
  }

  /** Turns the defaults into choices, so that no other change moves a face to another person. */
  keep(): void {
    const kept = [...this.#cast].filter((entry): entry is [string, number] => entry[1] !== null)
    this.#choices = new Map([...this.#choices, ...kept])
    this.#placed = new Set([...this.#placed, ...kept.map(([, key]) => key)])
  }

  /** Lets a face become somebody by default again. */
  release({ key }: Face): void {
    this.#placed = new Set([...this.#placed].filter((placed) => placed !== key))
  }

  /** The choices, for `clear`. Empty if the user chose nothing. */
  get choices(): ReadonlyMap<string, Choice> {
    return this.#isChosen ? this.#choices : new Map()
  }

  /** Forgets all choices, for another video. */
  clear(choices: ReadonlyMap<string, Choice> = new Map()): void {
    this.#choices = choices
    this.#placed = new Set()
    this.#isChosen = choices.size > 0
  }

  /** @param sendsDefaults also a cast of one face that the user left at the default */
  isSent(sendsDefaults: boolean): boolean {
    return this.active && (sendsDefaults || this.#isChosen || this.faces.list.length > 1)
  }

  /** The draft's face, pictures and cast. */
  draft(sendsDefaults: boolean): Pick<Draft, 'faceId' | 'pictureIds' | 'cast'> {
    const cast = this.entries.map(({ person, face }) => ({ personId: person.id, ...idsOf(face) }))
    const [first] = cast
    const sent = this.isSent(sendsDefaults) ? cast : []
    const { faceId, pictureIds } = first && sent.length > 0 ? first : idsOf(this.used[0])
    return { faceId, pictureIds, cast: sent }
  }
}

function idsOf(face: Face | undefined): { faceId: string; pictureIds: string[] } {
  const [faceId = '', ...pictureIds] = face?.pictures.map(({ id }) => id) ?? []
  return { faceId, pictureIds }
}
