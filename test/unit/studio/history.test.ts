import { beforeEach, describe, expect, it } from 'vitest'
import { History, type Step } from '../../../src/renderer/studio/state/app/history.svelte.ts'

let history: History<Step & { name: string }>
let log: string[]

const said = (text: string) => () => {
  log.push(text)
  return Promise.resolve()
}
const step = (name: string, canRedo = true) => ({
  name,
  undo: said(`undo ${name}`),
  redo: canRedo ? said(`redo ${name}`) : null,
})
/** Does something that takes a while. */
const act = (name: string, canRedo = true) =>
  history.perform(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    log.push(name)
    return step(name, canRedo)
  })

beforeEach(() => {
  history = new History()
  log = []
})

describe('the history', () => {
  it('undoes one step after another, the newest first, and redoes them in their order', async () => {
    for (const name of ['a', 'b', 'c']) await act(name)
    expect((await history.undo())?.name).toBe('c')
    await history.undo()
    expect((await history.redo())?.name).toBe('b')
    await history.redo()
    expect(log).toEqual(['a', 'b', 'c', 'undo c', 'undo b', 'redo b', 'redo c'])
    expect([history.canUndo, history.canRedo]).toEqual([true, false])
  })

  it('lets an undo wait for the action before it, so that nothing older is undone', async () => {
    await act('a')
    const slow = act('b')
    const undone = [history.undo(), history.undo()]
    await slow
    expect((await Promise.all(undone)).map((each) => each?.name)).toEqual(['b', 'a'])
    expect(log).toEqual(['a', 'b', 'undo b', 'undo a'])
  })

  it('undoes a certain step once, and leaves the others', async () => {
    const first = await act('a')
    await act('b')
    if (first) await history.undo(first)
    expect(first && (await history.undo(first))).toBeNull()
    expect((await history.undo())?.name).toBe('b')
    expect(await history.undo()).toBeNull()
  })

  it('forgets what was undone after something else was done', async () => {
    await act('a')
    await history.undo()
    await act('b')
    expect(await history.redo()).toBeNull()
  })

  it('has no redo for a step without one', async () => {
    await act('a', false)
    await history.undo()
    expect([history.canUndo, history.canRedo]).toEqual([false, false])
    expect(await history.redo()).toBeNull()
  })

  it('drops a step that fails, and continues with the one before', async () => {
    await act('a')
    const failing = { ...step('b'), undo: () => Promise.reject(new Error('gone')) }
    await history.perform(() => Promise.resolve(failing))
    await expect(history.undo()).rejects.toThrow('gone')
    expect((await history.undo())?.name).toBe('a')
    expect(history.canRedo).toBe(true)
  })

  it('has no step for an action that failed or did nothing', async () => {
    await expect(history.perform(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await history.perform(() => Promise.resolve(null))).toBeNull()
    expect(history.canUndo).toBe(false)
  })
})
