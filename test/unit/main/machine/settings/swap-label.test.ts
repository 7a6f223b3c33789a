import { expect, it } from 'vitest'
import { defaultOptions } from '../../../../../src/shared/options/default-options.ts'
import { withLabel } from '../../../../../src/main/machine/settings/swap-label.ts'
import type { Label } from '../../../../../src/shared/options/label.ts'
import type { Language } from '../../../../../src/shared/language.ts'

const labelled = (
  given: { label?: Label; labelLanguage?: Language },
  settings: { label?: Label; labelLanguage?: Language } = {},
  isLocked = false,
): [Label | null, Language | null] => {
  const usual = { label: 'off', labelLanguage: 'app', ...settings } as const
  const locked = isLocked ? (['label'] as const) : []
  const { label, labelLanguage } = withLabel({ ...defaultOptions, ...given }, { settings: usual, locked, language: 'de' }) // prettier-ignore
  return [label, labelLanguage]
}

it.each([
  ['none by default', labelled({}), [null, null]],
  ['the settings’, in the language in use', labelled({}, { label: 'eu' }), ['eu', 'de']],
  ['the settings’, in their language', labelled({}, { label: 'start', labelLanguage: 'ja' }), ['start', 'ja']],
  ['its own', labelled({ label: 'eu', labelLanguage: 'fr' }, { label: 'china' }), ['eu', 'fr']],
  ['none on request', labelled({ label: 'off' }, { label: 'eu' }), ['off', null]],
  ['China’s, without a language', labelled({ label: 'china' }), ['china', null]],
  ['what a policy requires', labelled({ label: 'off' }, { label: 'eu' }, true), ['eu', 'de']],
  ['none, if a policy forbids it', labelled({ label: 'eu' }, { label: 'off' }, true), ['off', null]],
])('a swap has %s', (_what, found, wanted) => expect(found).toEqual(wanted))
