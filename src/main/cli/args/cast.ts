/** @file Whom `--cast` names. Pure. */
import { formatList } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, usage } from '@shared/mien-error.ts'
import type { Person } from '@shared/people/people.ts'

type Named = Pick<Person, 'id' | 'name'>

/** The id of the person with a number (as `mien people` lists them), an id or a name. @throws MienError `person-unknown`, `usage` */
function personIdOf(people: readonly Named[], text: string): string {
  const wanted = text.trim().toLowerCase()
  const numbered = people[Number(wanted) - 1]
  const found = numbered
    ? [numbered]
    : people.filter(({ id, name }) => id.toLowerCase() === wanted || name?.toLowerCase() === wanted)
  const known = formatList(
    people.map(({ name }, index) => (name === null ? String(index + 1) : `${String(index + 1)} (${name})`)),
  )
  const [one, another] = found
  if (another) throw usage(m.cli_cast_names({ text, people: known }))
  if (!one) throw new MienError('person-unknown', { person: text, ...(known !== '' && { people: known }) })
  return one.id
}

/** Replaces what `--cast` says by the ids of people. @throws MienError `person-unknown`, `usage` */
export function withPersonIds<Entry extends { personId: string }>(
  people: readonly Named[],
  cast: readonly Entry[],
): Entry[] {
  const named = new Map<string, string>()
  return cast.map((entry) => {
    const personId = personIdOf(people, entry.personId)
    const one = named.get(personId)
    if (one !== undefined) throw usage(m.cli_cast_same({ one, other: entry.personId }))
    named.set(personId, entry.personId)
    return { ...entry, personId }
  })
}
