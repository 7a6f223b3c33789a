/** @file The presets, and how far the composer's options are from the chosen one. They are stored in the settings. */
import { changedOptions } from '@shared/options/default-options.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { builtInPresets, type Preset } from '@shared/settings/presets.ts'
import type { AppState } from './app/app.svelte.ts'
import type { Studio } from './studio.svelte.ts'

const names: Record<keyof typeof builtInPresets, () => string> = {
  standard: m.options_standard,
  small: m.quality_small,
  best: m.preset_best,
}
const standard: Preset = { id: 'standard', name: '', options: builtInPresets.standard }

export class Presets {
  readonly own = $derived.by(() => this.studio.app.settings.presets)
  /** Id of the preset that a start begins with; '': none. */
  readonly first = $derived.by(() => this.studio.app.settings.defaultPreset)
  /** Number of options that differ from the chosen preset. */
  readonly changes = $derived.by(() => changedOptions(this.studio.composer.options, this.chosen.options).length)
  readonly isOwn = $derived.by(() => this.own.includes(this.chosen))

  constructor(private readonly studio: Studio) {}

  /** Those that come with Mien. */
  get builtIn(): Preset[] {
    const ids = ['standard', 'small', 'best'] as const
    return ids.map((id) => ({ id, name: names[id](), options: builtInPresets[id] }))
  }
  get chosen(): Preset {
    const [usual = standard, ...others] = this.builtIn
    return [...others, ...this.own].find(({ id }) => id === this.studio.app.settings.lastPreset) ?? usual
  }

  /** Sets the options at a start. */
  start(): void {
    const first = this.own.find(({ id }) => id === this.first)
    if (first) this.choose(first)
  }

  choose({ id, options }: Preset): void {
    const { composer, models, toasts } = this.studio
    const { method } = options
    const isThere = method === null || models.swappers.some((model) => model.id === method)
    composer.options = { ...options, keep: [...options.keep], method: isThere ? method : null }
    composer.keepOptions()
    if (!isThere) toasts.show({ icon: 'info', title: m.preset_no_model(), body: m.preset_no_model_body() })
    this.#set({ lastPreset: id, swapOptions: composer.options })
  }

  reset(): void {
    this.choose(this.chosen)
  }

  /** Whether another of the user's presets has this name. */
  isTaken(name: string, but: string | null = null): boolean {
    return this.own.some((preset) => preset.name === name.trim() && preset.id !== but)
  }

  save(name: string): void {
    const preset = { id: crypto.randomUUID(), name: name.trim(), options: this.studio.composer.options }
    this.#set({ presets: [...this.own, preset], lastPreset: preset.id, swapOptions: preset.options })
    this.studio.toasts.show({ icon: 'done', title: m.toast_preset_saved({ name: preset.name }), name: preset.name })
  }

  /** Gives the chosen preset the options of the composer. */
  update(): void {
    const { id, name } = this.chosen
    this.#change(id, { options: this.studio.composer.options })
    this.studio.toasts.show({ icon: 'done', title: m.toast_preset_saved({ name }), name })
  }

  rename(id: string, name: string): void {
    this.#change(id, { name: name.trim() })
  }

  #change(id: string, change: Partial<Preset>): void {
    this.#set({ presets: this.own.map((preset) => (preset.id === id ? { ...preset, ...change } : preset)) })
  }

  remove(preset: Preset): void {
    const { app } = this.studio
    const { presets, lastPreset, defaultPreset } = app.settings
    const { id, name } = preset
    const redo = (): Promise<void> =>
      app.set({
        presets: this.own.filter((each) => each.id !== id),
        ...(lastPreset === id ? { lastPreset: standard.id } : {}),
        ...(defaultPreset === id ? { defaultPreset: '' } : {}),
      })
    const at = presets.indexOf(preset)
    const undo = (): Promise<void> => app.set({ presets: this.own.toSpliced(at, 0, preset), lastPreset, defaultPreset })
    this.studio.do(async () => {
      await redo()
      return { icon: 'removed', title: m.toast_preset_removed({ name }), name, undo, redo }
    })
  }

  /** @param id '': begin with the options of the last swap */
  startWith(id: string): void {
    this.#set({ defaultPreset: id })
  }

  export({ id, name }: Preset): void {
    const { bridge, toasts } = this.studio
    this.studio.try(async () => {
      const { saved } = await bridge.presets.exportFile({ id })
      if (saved) toasts.show({ icon: 'done', title: m.toast_preset_exported({ name }), name })
    })
  }

  /** @param files dropped files; otherwise the user chooses one */
  import(files?: readonly File[]): void {
    const { bridge, toasts } = this.studio
    for (const file of files ?? [null])
      this.studio.try(async () => {
        const preset = await (file === null ? bridge.presets.importFile() : bridge.presets.drop(file))
        if (preset === null) return
        const { name } = preset
        const use = (): void => this.choose(preset)
        const said = { icon: 'done', title: m.toast_preset_imported({ name }), name } as const
        toasts.show({ ...said, action: { label: m.preset_use(), run: use } })
      })
  }

  #set(change: Parameters<AppState['set']>[0]): void {
    this.studio.try(() => this.studio.app.set(change))
  }
}
