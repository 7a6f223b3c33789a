/** @file Index of swaps by id, profile and state, so that queries don't scan all of them. */
import type { Task, TaskState } from '@shared/tasks/task.ts'

type ByState = Map<TaskState, Map<string, Task>>

export class TaskIndex {
  private readonly byId = new Map<string, Task>()
  private readonly byProfile = new Map<string, ByState>()

  get(id: string): Task | undefined {
    return this.byId.get(id)
  }

  /** In insertion order. */
  all(): Task[] {
    return [...this.byId.values()]
  }

  put(task: Task): void {
    const old = this.byId.get(task.id)
    if (old && (old.state !== task.state || old.profileId !== task.profileId)) this.shelf(old)?.delete(task.id)
    this.byId.set(task.id, task)
    let states = this.byProfile.get(task.profileId)
    if (!states) this.byProfile.set(task.profileId, (states = new Map<TaskState, Map<string, Task>>()))
    let shelf = states.get(task.state)
    if (!shelf) states.set(task.state, (shelf = new Map<string, Task>()))
    shelf.set(task.id, task)
  }

  delete(id: string): void {
    const old = this.byId.get(id)
    if (!old) return
    this.shelf(old)?.delete(id)
    this.byId.delete(id)
  }

  private shelf(task: Task): Map<string, Task> | undefined {
    return this.byProfile.get(task.profileId)?.get(task.state)
  }

  /** Swaps of a profile in the given states. */
  of(profileId: string, ...states: readonly TaskState[]): Task[] {
    const shelves = this.byProfile.get(profileId)
    return states.flatMap((state) => [...(shelves?.get(state)?.values() ?? [])])
  }

  private count(profileId: string, states: readonly TaskState[]): number {
    const shelves = this.byProfile.get(profileId)
    return states.reduce((sum, state) => sum + (shelves?.get(state)?.size ?? 0), 0)
  }

  inStates(...states: readonly TaskState[]): Task[] {
    return [...this.byProfile.keys()].flatMap((profileId) => this.of(profileId, ...states))
  }

  /** Profiles with swaps in the given states. */
  profilesWith(...states: readonly TaskState[]): string[] {
    return [...this.byProfile.keys()].filter((profileId) => this.count(profileId, states) > 0)
  }
}
