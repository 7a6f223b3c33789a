/** @file Where the window is, and the way back. */
export const settingsSections = ['services', 'results', 'appearance', 'updates', 'upkeep', 'computer'] as const
export type SettingsSection = (typeof settingsSections)[number]

export type Route =
  | { readonly view: 'compose' }
  | { readonly view: 'library' }
  | { readonly view: 'task'; readonly taskId: string }
  | { readonly view: 'settings'; readonly section: SettingsSection; readonly profileId?: string }

const same = (a: Route, b: Route): boolean => JSON.stringify(a) === JSON.stringify(b)

export class Routes {
  #route = $state.raw<Route>({ view: 'compose' })
  #past: Route[] = []

  get route(): Route {
    return this.#route
  }

  go(route: Route): void {
    if (same(route, this.#route)) return
    // A place is in the way back once: compose → task → compose does not grow for ever.
    this.#past = [...this.#past.filter((past) => past.view !== this.#route.view), this.#route]
    this.#route = route
  }

  /** To where the window was before; from a task or the settings at least to the library. */
  back(): void {
    const before = this.#past.pop()
    if (before !== undefined && before.view !== this.#route.view) this.#route = before
    else if (this.#route.view !== 'compose') this.#route = { view: 'library' }
  }
}
