/** @file The consents for faces, mirrored from main, and what the user does with them. */
import type { ConsentFormat, ConsentView } from '@shared/tasks/consent.ts'
import { formatList } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { personFromName } from '@shared/files/title.ts'
import type { Studio } from './studio.svelte.ts'

export const consentName = ({ name }: Pick<ConsentView, 'name'>): string => personFromName(name)

export class ConsentsState {
  #all = $state.raw<readonly ConsentView[] | null>(null)
  #withdrawing = $state.raw<readonly ConsentView[]>([])
  /** Null before the first `load`. */
  readonly all = $derived(this.#all)
  /** Those that the dialog asks about. */
  readonly withdrawing = $derived(this.#withdrawing)

  constructor(private readonly studio: Studio) {
    studio.bridge.consents.changed(() =>
      this.studio.try(async () => {
        await this.studio.composer.faces.refresh()
        if (this.#all !== null) await this.load()
      }),
    )
  }

  async load(): Promise<void> {
    this.#all = await this.studio.bridge.consents.list()
  }

  /** The consents for these pictures that can be withdrawn. */
  async of(faceIds: readonly string[]): Promise<ConsentView[]> {
    const all = await this.studio.bridge.consents.of({ faceIds: [...faceIds] })
    const given = all.filter((each) => each !== null && each.withdrawnAt === null) as ConsentView[] // not null
    return [...new Map(given.map((each) => [each.face, each])).values()]
  }

  /** Asks before a withdrawal; nothing: closes the question. */
  ask(consents: readonly ConsentView[] = []): void {
    this.#withdrawing = consents
  }

  withdraw(list: readonly ConsentView[]): void {
    const { consents } = this.studio.bridge
    const ended = new Map<string, string[]>()
    const withdraw = async (): Promise<void> => {
      for (const { face } of list) ended.set(face, (await consents.withdraw({ face })).taskIds)
    }
    this.studio.do(async () => {
      await withdraw()
      const count = [...ended.values()].flat().length
      return {
        icon: 'removed',
        title: m.consent_withdrawn({ name: formatList(list.map(consentName)) }),
        ...(count > 0 ? { body: m.consent_ended({ count }) } : {}),
        undo: async () => {
          for (const { face } of list) await consents.restore({ face, taskIds: ended.get(face) ?? [] })
        },
        redo: withdraw,
      }
    })
  }

  giveAgain(consent: ConsentView): void {
    const { face } = consent
    const { consents } = this.studio.bridge
    this.studio.do(async () => {
      await consents.giveAgain({ face })
      return {
        ...{ icon: 'done', title: m.consent_given_again({ name: consentName(consent) }) },
        undo: () => consents.withdraw({ face }),
        redo: () => consents.giveAgain({ face }),
      }
    })
  }

  /** @param faces empty: all */
  exportFile(faces: readonly string[], format: ConsentFormat): void {
    this.studio.try(async () => {
      const { saved } = await this.studio.bridge.consents.exportFile({ faces: [...faces], format })
      if (saved) this.studio.toasts.show({ icon: 'done', title: m.consent_exported() })
    })
  }

  /** Numbers of the swaps of a face that have a result. */
  async resultsOf(face: string): Promise<Uint32Array> {
    const filters = { faces: [face], states: ['kept' as const] }
    const { order } = await this.studio.bridge.library.view({ search: '', filter: 'all', filters, sort: 'newest' })
    // With a filter, no swap is folded.
    return Uint32Array.from(order)
  }
}
