import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadLanguage } from '@shared/i18n/load-language.ts'
import { getLocale, overwriteGetLocale } from '@shared/i18n/paraglide/runtime.js'
import {
  verificationLines,
  verificationReport,
  verificationText,
  type VerificationText,
} from '@shared/i18n/verification-text.ts'
import { languages } from '@shared/language.ts'
import { verdicts, type Verification } from '@shared/files/verification.ts'
import { verification, without } from '../../../fixtures/verification.ts'

const signedBy = (kind: 'other-copy' | 'organisation' | 'other'): Verification =>
  verification({
    signer: { kind, name: 'Agency', keyId: kind === 'other-copy' ? '12AB 34CD' : null, isExpired: false },
  })

const textsOf = ({ title, sentence }: VerificationText): [string, string] => [title, sentence]
const linesOf = (of: Verification): string[] => verificationLines(verificationText(of)).map((line) => line.trim())

describe('a verdict', () => {
  const all = [
    ...[verification(), signedBy('other-copy'), signedBy('organisation'), signedBy('other')],
    verification({ verdict: 'changed' }),
    ...verdicts.filter((verdict) => verdict !== 'unchanged' && verdict !== 'changed').map(without),
  ]

  it.each(languages)('has its own title and sentence in %s', (language) => {
    overwriteGetLocale(() => language)
    const texts = all.map((each) => textsOf(verificationText(each)))
    expect(new Set(texts.map(([title]) => title)).size).toBe(all.length)
    expect(new Set(texts.map(([, sentence]) => sentence)).size).toBe(all.length)
  })

  it('never promises more than it shows', () => {
    for (const each of all) {
      const { title, sentence } = verificationText(each)
      expect(`${title} ${sentence}`).not.toMatch(/verified|authentic|certified|genuine|trusted/i)
    }
  })

  it('is good only for a signer whose certificate is on this computer', () => {
    expect(all.map((each) => verificationText(each).tone)).toEqual([
      ...['good', 'neutral', 'good', 'neutral', 'bad'],
      ...['bad', 'bad', 'neutral', 'neutral', 'neutral'],
    ])
  })

  it('about a signer that can’t be checked names it as a claim', () => {
    expect(verificationText(signedBy('other')).sentence).toContain('can’t check the name in the certificate: “Agency”')
  })
})

describe('the facts', () => {
  it('say what was done from what, with what and when', () => {
    expect(linesOf(verification())).toEqual([
      'The credentials are intact, and the file hasn’t changed since this copy of Mien saved it.',
      ...['What was done', 'Face swapped in the video', 'Swapped in 1,045 of 1,052 frames'],
      ...['Made from', 'launch-day.mp4', 'A face'],
      ...['Made with', 'Mien 1.2 on Linux', 'Built in, likeness 70%'],
      ...['Signed', '22 November 2026 at 09:52, by the clock of that computer'],
      'By this copy of Mien, key 4F2A 91C7',
    ])
  })

  it('say what an online service made, and with AI', () => {
    const digitalSourceType = 'compositeWithTrainedAlgorithmicMedia'
    const actions = [{ action: 'c2pa.edited', description: null, digitalSourceType }]
    const unknown = { method: null, likeness: null, frames: null, swappedFrames: null }
    const lines = linesOf(verification({ actions, swap: { made: 'fetched', service: 'Agency', ...unknown } }))
    expect(lines).toContain('Partly made by AI')
    expect(lines).toContain('Fetched from Agency, not made here')
  })

  it('of other programs are in words, and quote what is foreign', () => {
    const lines = linesOf(
      verification({
        swap: null,
        actions: [
          { action: 'c2pa.created', description: null, digitalSourceType: 'digitalCapture' },
          { action: 'com.example.blur', description: 'Blurred', digitalSourceType: null },
        ],
        madeWith: { name: 'Camera', version: null, system: null },
        signer: { kind: 'other', name: 'Camera Inc.', keyId: null, isExpired: true },
        signedAt: 'yesterday',
      }),
    )
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['Created', 'Taken with a camera', '“com.example.blur”', '“Blurred”', 'Camera', 'Time not recorded'],
        ...['With a certificate for “Camera Inc.”', 'The certificate was not valid at that time'],
      ]),
    )
  })

  it('show what was known about the files it was made from', () => {
    const parent = { role: 'parent', name: 'a.jpg', kind: 'picture', sha256: null } as const
    const of = (credentials: 'unchanged' | 'changed' | 'broken', signer: string | null) =>
      linesOf(verification({ ingredients: [{ ...parent, credentials, signedBy: signer }] }))
    expect(of('unchanged', 'Camera')).toContain('Signed by “Camera”')
    expect(of('changed', null)).toContain('Had been changed after it was signed')
    expect(of('broken', null)).toContain('Had credentials that couldn’t be read')
  })

  it('are cut after eight lines', () => {
    const parents = verification().ingredients.filter(({ role }) => role === 'parent')
    const many = Array.from({ length: 30 }, () => parents).flat()
    expect(linesOf(verification({ ingredients: many })).filter((line) => line === 'launch-day.mp4')).toHaveLength(8)
    expect(linesOf(verification({ ingredients: many }))).toContain('and 22 more')
  })

  it('of forged credentials are left out', () => {
    expect(verificationText(verification({ verdict: 'forged' })).facts).toEqual([])
  })

  it('isolate names of right-to-left scripts', () => {
    const signer = { kind: 'other', name: 'سينما', keyId: null, isExpired: false } as const
    expect(verificationText(verification({ signer })).sentence).toContain('“\u2068سينما\u2069”')
  })
})

describe('what isn’t as signed', () => {
  const damage = (of: Verification): string[][] =>
    verificationText(of).damage.map(({ label, lines }) => [label, ...lines.map(({ text }) => text)])

  it('is picture or sound, while the credentials are', () => {
    const changed = verification({ verdict: 'changed', problems: ['assertion.bmffHash.mismatch'] })
    expect(damage(changed)).toEqual([
      ['Not as signed', 'Picture or sound'],
      ['Still as signed', 'The credentials themselves'],
    ])
    expect(damage({ ...changed, file: { name: 'a.png', sizeBytes: 1, type: 'PNG' } })[0]).toContain('The picture')
  })

  it('is the credentials, if they are forged', () => {
    const problems = ['claimSignature.mismatch', 'assertion.dataHash.mismatch', 'ingredient.manifest.missing']
    const damaged = ['Not as signed', 'Picture or sound', 'The credentials themselves', 'A file it was made from']
    expect(damage(verification({ verdict: 'forged', problems }))).toEqual([damaged])
  })

  it('isn’t listed for other verdicts', () => {
    expect(damage(verification({ problems: ['signingCredential.untrusted'] }))).toEqual([])
  })

  it('has its codes in the details, in groups', () => {
    const problems = ['signingCredential.untrusted', 'claimSignature.mismatch', 'timeStamp.mismatch']
    expect(verificationText(verification({ problems, ingredients: [] })).details).toEqual([
      { label: 'The credentials themselves', codes: ['claimSignature.mismatch'] },
      { label: 'The certificate', codes: ['signingCredential.untrusted', 'timeStamp.mismatch'] },
    ])
  })
})

it('the report has the file, the verdict, the details and the limit', () => {
  const report = verificationReport(verification(), '0:42, 18.4 MB')
  expect(report).toMatch(/^Launch day interview\.mp4\n0:42, 18\.4 MB\n\nMade with Mien, unchanged\n {2}The credentials/)
  expect(report).toContain(`launch-day.mp4\n    SHA-256 ${'ab'.repeat(32)}`)
  expect(report).toMatch(/Tamper-evident, not a verified identity\n {2}A signature shows/)
})

const before = getLocale
beforeAll(() => Promise.all(languages.map(loadLanguage)))
afterEach(() => overwriteGetLocale(before))
