/** @file Run before each file of the studio's tests: what jsdom lacks, and the timeout of `findBy…`. */
import { configure } from '@testing-library/svelte'

configure({ asyncUtilTimeout: 50_000 })

// Nothing here asks for a theme, motion or contrast.
globalThis.matchMedia = () => ({ matches: false }) as MediaQueryList
HTMLElement.prototype.showPopover = function () {
  this.style.display = 'block'
}
HTMLElement.prototype.hidePopover = function () {
  this.style.display = ''
}
HTMLDialogElement.prototype.showModal = function () {
  this.open = true
}
HTMLDialogElement.prototype.close = function () {
  this.open = false
}
Element.prototype.scrollTo = () => undefined
Element.prototype.scrollIntoView = () => undefined
globalThis.CSS = { escape: (text) => text } as typeof CSS
globalThis.ResizeObserver = class {
  observe = (): void => undefined
  unobserve = (): void => undefined
  disconnect = (): void => undefined
}
// Room for rows and cards: jsdom has no layout.
for (const [name, size] of Object.entries({ clientWidth: 1240, clientHeight: 900 }))
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => size })
