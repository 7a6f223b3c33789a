import { describe, expect, it } from 'vitest'
import { actionList, actionOf, conflictsOf, keysFor } from '../../../../src/shared/actions/actions.ts'

describe('the list of actions', () => {
  it('has a unique id and a label for each', () => {
    expect(new Set(actionList.map(({ id }) => id)).size).toBe(actionList.length)
    for (const { label } of actionList) expect(label()).not.toBe('')
  })

  it.each([false, true])('has no two actions for the same keys where both work; on a Mac: %s', (mac) => {
    const found = actionList.flatMap((action) =>
      keysFor(action, {}, mac).flatMap((keys) => conflictsOf(action, keys, {}, mac).map(({ id }) => [action.id, id])),
    )
    expect(found).toEqual([])
  })
})

describe('a conflict', () => {
  const conflicts = (id: Parameters<typeof actionOf>[0], keys: string, own = {}) =>
    conflictsOf(actionOf(id), keys, own, false).map((action) => action.id)

  it('is with actions of the same place, of places shown together, and with those that work anywhere', () => {
    expect(conflicts('viewer.repeat', 'M')).toEqual(['viewer.sound'])
    expect(conflicts('viewer.repeat', 'F2')).toEqual(['swap.rename'])
    expect(conflicts('library.select', 'F2')).toEqual(['swap.rename'])
    expect(conflicts('viewer.repeat', 'mod+L')).toEqual(['anywhere.library'])
    expect(conflicts('anywhere.library', 'mod+E')).toEqual(['composer.options'])
    expect(conflicts('viewer.repeat', 'P')).toEqual([])
  })

  it('follows the user’s keys', () => {
    expect(conflicts('viewer.repeat', 'M', { 'viewer.sound': ['Y'] })).toEqual([])
    expect(conflicts('viewer.repeat', 'Y', { 'viewer.sound': ['Y'] })).toEqual(['viewer.sound'])
  })
})

describe('the keys of an action', () => {
  const keys = (id: Parameters<typeof actionOf>[0], own = {}, mac = false) => keysFor(actionOf(id), own, mac)

  it('are the user’s, also none', () => {
    expect(keys('viewer.repeat', { 'viewer.repeat': ['shift+R'] })).toEqual(['shift+R'])
    expect(keys('viewer.repeat', { 'viewer.repeat': [] })).toEqual([])
    expect(keys('library.remove', { 'library.remove': ['backspace'] })).toEqual(['backspace'])
  })

  it('are the default ones where the user’s can’t be used', () => {
    expect(keys('viewer.repeat', { 'viewer.repeat': ['mod+C'] })).toEqual(['R'])
    expect(keys('anywhere.undo', { 'anywhere.undo': ['U'] })).toEqual(['mod+Z'])
    expect(keys('window.full-screen', {}, true)).toEqual(['ctrl+mod+F'])
  })
})
