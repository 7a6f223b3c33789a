/** @file The filters of the library as the user chose them, and in words. Pure. */
import { formatDate, formatOr } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { LibraryFilters } from '@shared/tasks/library-query.ts'
import type { LibraryFacets } from '@shared/tasks/library-view.ts'
import type { Filter } from '@shared/tasks/task-row.ts'
import { stateWord } from './task-view.ts'

export const periods = ['today', 'week', 'month', 'year'] as const
export type Period = (typeof periods)[number]
/** Days as in a date field, "2026-11-23"; the last one is included. Empty: open. */
export interface Days {
  from: string
  until: string
}

export type ChosenFilters = Omit<LibraryFilters, 'from' | 'until'> & { added?: Period | Days }

/** Filters with a list of values. */
export const listKinds = ['states', 'tags', 'faces', 'profileIds', 'batches'] as const
export type ListKind = (typeof listKinds)[number]
export type FilterKind = ListKind | 'added' | 'favourite' | 'duplicates'

export const kindNames: Record<FilterKind, () => string> = {
  states: m.filter_state,
  tags: m.filter_tag,
  faces: m.filter_face,
  profileIds: m.filter_where,
  batches: m.filter_set,
  added: m.filter_added,
  favourite: m.filter_favourites,
  duplicates: m.filter_duplicates,
}
/** The tabs of the library. */
export const filterNames: Record<Filter, () => string> = {
  all: m.all,
  working: m.filter_working,
  'needs-you': m.filter_needs_you,
  finished: m.filter_finished,
}
export const periodNames: Record<Period, () => string> = {
  today: m.added_today,
  week: m.added_week,
  month: m.added_month,
  year: m.added_year,
}

/** Start of the day `days` after that of `at`, epoch ms. */
function dayStart(at: number, days = 0): number {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

/** Local midnight of a date field's value; null if there is none. */
function midnight(day: string, days = 0): number | null {
  const at = new Date(`${day}T00:00`).getTime()
  return Number.isNaN(at) ? null : dayStart(at, days)
}

/** The query's filters at the time `now`. */
export function toQuery({ added, ...filters }: ChosenFilters, now: number): LibraryFilters {
  if (added === undefined) return filters
  if (typeof added === 'object') {
    const [from, until] = [midnight(added.from), midnight(added.until, 1)]
    return { ...filters, ...(from === null ? {} : { from }), ...(until === null ? {} : { until }) }
  }
  if (added === 'year') return { ...filters, from: new Date(new Date(now).getFullYear(), 0, 1).getTime() }
  return { ...filters, from: dayStart(now, { today: 0, week: -6, month: -29 }[added]) }
}

/** With the value chosen, or not chosen if it was. */
export function toggled(filters: ChosenFilters, kind: ListKind, value: string): ChosenFilters {
  const values: readonly string[] = filters[kind] ?? []
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
  // Safe: the values of `states` come from the facets, which are states.
  return next.length === 0 ? without(filters, kind) : { ...filters, [kind]: next }
}

export function without(filters: ChosenFilters, kind: FilterKind): ChosenFilters {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => name !== kind))
}

/** A value that can be chosen. `picture`: media id of a face. */
export interface FilterValue {
  value: string
  label: string
  count: number
  picture?: string
}

type ServiceName = (profileId: string) => string

export function valuesOf(kind: ListKind, facets: LibraryFacets, serviceName: ServiceName): FilterValue[] {
  switch (kind) {
    case 'states':
      return facets.states.map(({ state, count }) => ({ value: state, label: stateWord(state), count }))
    case 'tags':
      return facets.tags.map(({ name, count }) => ({ value: name, label: name, count }))
    case 'faces':
      return facets.faces.map(({ key, name, thumbnailId, count }) => ({
        ...{ value: key, label: name, picture: thumbnailId, count },
      }))
    case 'profileIds':
      return facets.profiles.map(({ profileId, count }) => ({
        ...{ value: profileId, label: serviceName(profileId), count },
      }))
    case 'batches':
      return facets.batches.map(({ id, title, count }) => ({ value: id, label: title, count }))
  }
}

export interface FilterChip {
  kind: FilterKind
  label: string
  picture?: string | undefined
}

/** What is chosen, in the order of the menu. */
export function chipsOf(filters: ChosenFilters, facets: LibraryFacets | null, serviceName: ServiceName): FilterChip[] {
  const chips: FilterChip[] = []
  for (const kind of listKinds) {
    const values: readonly string[] = filters[kind] ?? []
    if (values.length === 0) continue
    const known = facets === null ? [] : valuesOf(kind, facets, serviceName)
    const chosen = values.map(
      (value) =>
        known.find((each) => each.value === value) ?? {
          label: kind === 'faces' ? value.slice(0, 8) : value,
          picture: undefined,
        },
    )
    const label = m.labelled({ label: kindNames[kind](), text: formatOr(chosen.map((each) => each.label)) })
    chips.push({ kind, label, picture: chosen[0]?.picture })
  }
  const { added } = filters
  if (added !== undefined)
    chips.push({ kind: 'added', label: typeof added === 'string' ? periodNames[added]() : daysText(added) })
  if (filters.favourite === true) chips.push({ kind: 'favourite', label: m.filter_favourites() })
  if (filters.duplicates === true) chips.push({ kind: 'duplicates', label: m.filter_duplicates() })
  return chips
}

function daysText(days: Days): string {
  const [from, until] = [days.from, days.until].map((day) => {
    const at = midnight(day)
    return at === null ? '' : formatDate(at)
  })
  if (!until) return m.added_since({ from: from ?? '' })
  return from ? m.added_between({ from, until }) : m.added_before({ until })
}
