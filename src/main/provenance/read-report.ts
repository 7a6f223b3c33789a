/** @file Turns C2PA's report about a file into a `Verification`. Pure. The report is foreign text: everything is parsed. */
import { z } from 'zod'
import type { Verdict, Verification } from '@shared/files/verification.ts'
import { parseJson } from '@shared/parse-json.ts'
import { copyName, keyIdIn } from './copy-name.ts'
import { swapLabel } from './statement.ts'

/** Max length of a text from credentials that is shown. */
const maxText = 200

/** Foreign text for people: no control characters (also no changes of direction), and not too long. */
const text = z.string().transform((value) => {
  const plain = value.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim()
  return plain.length > maxText ? `${plain.slice(0, maxText - 1)}…` : plain
})
const maybe = text.nullable().catch(null)
const count = z.int().nonnegative().nullable().catch(null)
const word = z.string().nullable().catch(null)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
/** The readable ones of a list. */
const listOf = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema.nullable().catch(null))
    .transform((list) => list.filter((each) => each !== null))
    .catch([])

const status = z.object({ code: z.string().max(200) })
const statuses = z
  .object({ success: z.array(status).catch([]), failure: z.array(status).catch([]) })
  .catch({ success: [], failure: [] })

const manifestSchema = z.object({
  claim_generator: maybe,
  claim_generator_info: z
    .array(
      z
        .looseObject({ name: maybe, version: maybe, operating_system: maybe })
        .catch({ name: null, version: null, operating_system: null }),
    )
    .catch([]),
  assertions: listOf(z.object({ label: z.string(), data: z.unknown() })),
  ingredients: listOf(
    z.object({
      title: maybe,
      format: maybe,
      relationship: word,
      instance_id: word,
      active_manifest: word,
      validation_results: z.object({ activeManifest: statuses }).nullable().catch(null),
    }),
  ),
  signature_info: z.object({ issuer: maybe, common_name: maybe, time: maybe }).nullable().catch(null),
})

const reportSchema = z.object({
  active_manifest: word,
  manifests: z.record(z.string(), manifestSchema).catch({}),
  validation_results: z
    .object({
      activeManifest: statuses,
      ingredientDeltas: z
        .array(z.object({ validationDeltas: statuses }).catch({ validationDeltas: { success: [], failure: [] } }))
        .catch([]),
    })
    .nullable()
    .catch(null),
  validation_state: word,
})

const actionsSchema = z.object({
  actions: listOf(z.object({ action: z.string().max(100), when: maybe, description: maybe, digitalSourceType: maybe })),
})

const swapSchema = z.object({
  made: z.enum(['here', 'fetched']),
  service: maybe,
  method: maybe,
  likeness: z.number().nullable().catch(null),
  frames: count,
  swappedFrames: count,
  target: z.object({ sha256: hash.nullable().catch(null) }).catch({ sha256: null }),
})

/** Failures of the binding between the credentials and the file's content. C2PA 2.2, section 15.2.2. */
const contentCodes = /^assertion\.(?:dataHash|bmffHash|boxesHash|collectionHash|multiAssetHash)\./
/** An unknown signer isn't a fault of the file. */
const unknownSigner = /^signingCredential\.(?:untrusted|expired|ocsp\.)/

type Read = Omit<Verification, 'file'>

/** The facts that only a report has. */
export const nothingRead = (verdict: Verdict): Read => ({
  ...{ verdict, signer: null, signedAt: null, madeWith: null, swap: null },
  ...{ actions: [], ingredients: [], problems: [] },
})

/** @param json the report; anything that isn't one gives `broken` */
export function readReport(json: string): Read {
  const parsed = reportSchema.safeParse(parseJson(json))
  const manifest = parsed.data?.manifests[parsed.data.active_manifest ?? '']
  if (!parsed.success || !manifest) return nothingRead('broken')
  const { validation_results: results, validation_state: state, manifests } = parsed.data
  const failures = results?.activeManifest.failure.map(({ code }) => code) ?? []
  const ofIngredients = results?.ingredientDeltas.flatMap((each) => each.validationDeltas.failure) ?? []
  // The state of a changed file isn't `Trusted`, whoever signed it.
  const isKnown = results?.activeManifest.success.some(({ code }) => code === 'signingCredential.trusted') === true
  const faults = failures.filter((code) => !unknownSigner.test(code))
  const isWhole = state === 'Valid' || state === 'Trusted'
  const verdict =
    faults.length === 0
      ? isWhole || failures.length > 0
        ? 'unchanged'
        : 'broken'
      : faults.every((code) => contentCodes.test(code))
        ? 'changed'
        : 'forged'
  const of = (label: string): unknown => manifest.assertions.find((each) => each.label === label)?.data
  const swap = swapSchema.safeParse(of(swapLabel)).data ?? null
  const actions = manifest.assertions.flatMap((each) =>
    /^c2pa\.actions(?:\.v2)?(?:__\d+)?$/.test(each.label)
      ? (actionsSchema.safeParse(each.data).data?.actions ?? [])
      : [],
  )
  const [generator] = manifest.claim_generator_info
  const name = generator?.name ?? manifest.claim_generator?.split('/')[0] ?? null
  return {
    verdict,
    signer: signerOf(manifest.signature_info, isKnown, failures),
    signedAt: manifest.signature_info?.time ?? actions.findLast(({ when }) => when)?.when ?? null,
    madeWith:
      name === null ? null : { name, version: generator?.version ?? null, system: generator?.operating_system ?? null },
    actions: actions.map(({ action, description, digitalSourceType }) => ({
      ...{ action, description, digitalSourceType: digitalSourceType?.split('/').at(-1) ?? null },
    })),
    ingredients: manifest.ingredients.map((each): Verification['ingredients'][number] => {
      const isParent = each.relationship === 'parentOf'
      const sha256 = /^urn:sha256:([0-9a-f]{64})$/.exec(each.instance_id ?? '')?.[1] ?? null
      const own = manifests[each.active_manifest ?? '']
      return {
        role: isParent ? 'parent' : 'input',
        name: each.title || null,
        kind: kindOf(each.format ?? '', sha256 !== null && swap !== null),
        sha256: isParent ? (swap?.target.sha256 ?? null) : sha256,
        credentials:
          own || each.active_manifest !== null ? credentialsOf(each.validation_results?.activeManifest) : null,
        signedBy: own?.signature_info?.issuer ?? null,
      }
    }),
    swap: swap && withoutTarget(swap),
    problems: [...new Set([...failures, ...ofIngredients.map(({ code }) => code)])],
  }
}

const withoutTarget = ({ target: _, ...swap }: z.infer<typeof swapSchema>): Verification['swap'] => swap

function signerOf(
  info: z.infer<typeof manifestSchema>['signature_info'],
  isKnown: boolean,
  failures: readonly string[],
): Verification['signer'] {
  if (!info) return null
  const { issuer, common_name: common } = info
  const isCopy = issuer === copyName
  return {
    kind: isCopy ? (isKnown ? 'this-copy' : 'other-copy') : isKnown ? 'organisation' : 'other',
    name: issuer || common || '',
    keyId: isCopy ? keyIdIn(common ?? '') : null,
    isExpired: failures.includes('signingCredential.expired'),
  }
}

function kindOf(format: string, isFace: boolean): Verification['ingredients'][number]['kind'] {
  if (isFace) return 'face'
  const family = format.split('/')[0]
  return family === 'video' ? 'video' : family === 'image' ? 'picture' : 'other'
}

function credentialsOf(results: z.infer<typeof statuses> | undefined): 'unchanged' | 'changed' | 'broken' {
  const faults = (results?.failure ?? []).filter(({ code }) => !unknownSigner.test(code))
  if (faults.length === 0) return 'unchanged'
  return faults.every(({ code }) => contentCodes.test(code)) ? 'changed' : 'broken'
}
