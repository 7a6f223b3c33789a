/** @file The current route and its history. */
import type { SettingsSection } from '../../logic/settings/settings-names.ts'

export type Route =
  | { readonly view: 'compose' }
  | { readonly view: 'library' }
  | { readonly view: 'verify' }
  | { readonly view: 'task'; readonly taskId: string }
  | { readonly view: 'consents'; readonly find?: string }
  | { readonly view: 'settings'; readonly section: SettingsSection; readonly profileId?: string }

const same = (a: Route, b: Route): boolean => JSON.stringify(a) === JSON.stringify(b)

export class Routes {
  #route = $state.raw<Route>({ view: 'compose' })
  #past: Route[] = []
  readonly route = $derived(this.#route)

  go(route: Route): void {
    if (same(route, this.#route)) return
    // Keep each view once in the history, so that compose → task → compose doesn't grow forever.
    this.#past = [...this.#past.filter((past) => past.view !== this.#route.view), this.#route]
    this.#route = route
  }

  /** Returns to the previous view; without one, a task or the settings lead to the library. */
  back(): void {
    const before = this.#past.pop()
    if (before !== undefined && before.view !== this.#route.view) this.#route = before
    else if (this.#route.view !== 'compose') this.#route = { view: 'library' }
  }
}
