/** @file Says why a template for names can't be used. */
import { maxTemplateLength, type TemplateProblem } from '../files/name-template.ts'
import { m } from './paraglide/messages.js'

export function templateText({ kind, what }: TemplateProblem): string {
  switch (kind) {
    case 'empty':
      return m.file_name_empty()
    case 'long':
      return m.file_name_long({ count: maxTemplateLength })
    case 'field':
      return m.file_name_field({ what })
    case 'brace':
      return m.file_name_brace({ example: '{title}' })
    case 'character':
      return m.file_name_character({ what })
  }
}
