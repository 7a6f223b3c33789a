/** @file Help: of all commands, or the page of one. */
import { m } from '@shared/i18n/paraglide/messages.js'

const pages: Readonly<Record<string, { page: () => string; hasSwapOptions?: true; examples?: readonly string[] }>> = {
  swap: {
    page: m.cli_help_swap,
    hasSwapOptions: true,
    examples: [
      'mien swap --face ada.jpg --target clip.mp4 --out swapped.mp4',
      'mien swap --face ada.jpg --target clip.mp4 --out part.mp4 --from 0:08 --to 0:21 --json',
      'mien swap --cast 1=ada.jpg --cast 2=max.jpg --target talk.mp4 --out talk-swapped.mp4',
    ],
  },
  people: { page: m.cli_help_people },
  verify: { page: m.cli_help_verify },
  submit: { page: m.cli_help_submit, hasSwapOptions: true },
  batch: {
    page: m.cli_help_batch,
    hasSwapOptions: true,
    examples: [
      'mien batch --profile this-computer --faces faces/ --targets clips/ --wait',
      'mien batch --profile this-computer --plan plan.csv',
    ],
  },
  list: { page: m.cli_help_list },
  show: { page: m.cli_help_show },
  watch: { page: m.cli_help_watch },
  fetch: { page: m.cli_help_fetch },
  mend: { page: m.cli_help_mend, examples: ['mien mend 1a2b3c4d --from 0:03 --to 0:05 --leave'] },
  profile: { page: m.cli_help_profile },
  key: { page: m.cli_help_key },
  model: { page: m.cli_help_model },
  consent: { page: m.cli_help_consent },
  serve: { page: m.cli_help_serve },
  worker: { page: m.cli_help_worker },
  pair: { page: m.cli_help_pair },
}

/** @param topic name of a command; another text: all commands */
export function helpText(topic: string): string {
  const about = pages[topic]
  if (!about) return m.cli_usage()
  const { page, hasSwapOptions, examples } = about
  return [
    page(),
    ...(hasSwapOptions ? [m.cli_help_options()] : []),
    ...(examples ? [[m.cli_examples(), ...examples.map((line) => `  ${line}`)].join('\n')] : []),
    m.cli_help_common(),
  ].join('\n\n')
}
