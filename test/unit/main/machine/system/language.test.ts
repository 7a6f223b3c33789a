import { expect, it, vi } from 'vitest'
import { systemLanguages } from '../../../../../src/main/machine/system/language.ts'

vi.mock('electron', () => ({ app: {} }))

it.each([
  [{ LANG: 'de_AT.UTF-8' }, ['de-AT', 'fr-FR']],
  [{ LC_ALL: 'ja_JP.UTF-8', LANG: 'de_DE.UTF-8' }, ['ja-JP', 'fr-FR']],
  [{ LC_ALL: '', LC_MESSAGES: 'zh_CN.GB18030', LANG: 'de_DE' }, ['zh-CN', 'fr-FR']],
  [{ LANG: 'ca_ES.UTF-8@valencia' }, ['ca-ES', 'fr-FR']],
  [{ LANG: 'C.UTF-8' }, ['en']],
  [{ LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, ['en']],
  [{}, ['fr-FR']],
])('%j has the languages %j', (env, languages) => expect(systemLanguages(env, () => ['fr-FR'])).toEqual(languages))
