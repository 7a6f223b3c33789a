/** @file How the two pictures of a finished swap are compared: which are shown, and their zoom. */
import type { Settings } from '@shared/settings/settings.ts'
import { knownSize } from '../../logic/pictures/crop.ts'
import type { Studio } from '../studio.svelte.ts'
import type { Runs } from '../app/actions.svelte.ts'
import { Zoom } from './zoom.svelte.ts'

export type CompareMode = Settings['compareMode']

/** Changes of the picture per second. Two are one flash; WCAG 2.3.1 allows three flashes. */
export const flickerRates = [1, 2, 3, 4] as const
export type FlickerRate = (typeof flickerRates)[number]

/** The mode is a setting, but flicker is not: it only ever begins because the user asks for it. */
export class CompareView {
  readonly zoom: Zoom
  #isFlicker = $state(false)
  #rate = $state<FlickerRate>(2)
  /** With reduced motion, nothing changes by itself. */
  #isStill = $state(false)
  #isBefore = $state(false)
  #timer: ReturnType<typeof setInterval> | undefined
  /** The key that is held to see "before" alone, in any mode. */
  #held = $state<string | null>(null)

  /** @param media whose size is the pictures' size: the first one that is known */
  constructor(
    private readonly studio: Studio,
    ...media: Parameters<typeof knownSize>
  ) {
    this.zoom = new Zoom(knownSize(...media))
  }

  /** What is shown now. */
  get mode(): CompareMode {
    if (this.#held !== null) return 'before'
    if (!this.#isFlicker) return this.studio.app.settings.compareMode
    return this.#isBefore ? 'before' : 'after'
  }
  get chosen(): CompareMode | 'flicker' {
    return this.#isFlicker ? 'flicker' : this.studio.app.settings.compareMode
  }
  /** Changes per second; null if only a key changes the picture. */
  get rate(): FlickerRate | null {
    return this.#isStill ? null : this.#rate
  }

  choose(mode: CompareMode | 'flicker'): void {
    clearInterval(this.#timer)
    this.#isFlicker = mode === 'flicker'
    if (mode === 'flicker') this.flicker(this.#rate)
    else this.studio.try(() => this.studio.app.set({ compareMode: mode }))
  }

  /** Sets the rate of a flicker that is shown. */
  flicker(rate: FlickerRate): void {
    clearInterval(this.#timer)
    this.#rate = rate
    this.#isBefore = false
    this.#isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    if (this.#isStill) return
    this.#timer = setInterval(() => {
      this.#isBefore = !this.#isBefore
    }, 1000 / rate)
  }

  dispose(): void {
    clearInterval(this.#timer)
  }

  /** On the release of any key, and when the window loses the focus. */
  readonly release = (event: Event): void => {
    if (!(event instanceof KeyboardEvent) || event.code === this.#held) this.#held = null
  }

  readonly runs = {
    divider: () => this.choose('divider'),
    side: () => this.choose('side'),
    before: () => this.choose('before'),
    after: () => this.choose('after'),
    flicker: () => this.choose('flicker'),
    'hold-before': (event?: KeyboardEvent) => {
      this.#held = event?.code ?? null
    },
    'zoom-in': () => this.zoom.step(1),
    'zoom-out': () => this.zoom.step(-1),
    'zoom-fit': () => this.zoom.fit(),
    pan: (event?: KeyboardEvent) => {
      const x = { ArrowLeft: -1, ArrowRight: 1 }[event?.key ?? ''] ?? 0
      const y = { ArrowUp: -1, ArrowDown: 1 }[event?.key ?? ''] ?? 0
      this.zoom.look(x / 10, y / 10)
    },
  } satisfies Runs<'viewer'>
}
