/** @file Who becomes whom, as far as the user did not choose. */

/** Type of a face that is dragged onto a person. */
export const faceDragType = 'application/x-mien-face'

/** Key of a face, or null for a person who stays as they are. */
export type Choice = number | null

interface Input {
  /** Ids of the people, the most prominent first. */
  readonly people: readonly string[]
  /** Keys of the faces, in the order they were added. */
  readonly faces: readonly number[]
  readonly choices: ReadonlyMap<string, Choice>
  /** Faces that were with a person when the user chose; they are not given to another one. */
  readonly placed: ReadonlySet<number>
}

/** The choices, and each new face with the most prominent person who has none. */
export function castOf({ people, faces, choices, placed }: Input): Map<string, Choice> {
  const known = new Set(faces)
  const cast = new Map<string, Choice>()
  const open: string[] = []
  for (const id of people) {
    const choice = choices.get(id)
    const isOpen = choice === undefined || (choice !== null && !known.has(choice))
    cast.set(id, isOpen ? null : choice)
    if (isOpen) open.push(id)
  }
  const used = new Set(cast.values())
  const fresh = faces.filter((key) => !placed.has(key) && !used.has(key))
  for (const [index, id] of open.slice(0, fresh.length).entries()) cast.set(id, fresh[index] ?? null)
  return cast
}
