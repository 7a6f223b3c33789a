import { describe, expect, it } from 'vitest'
import {
  converterFamilies,
  faceTemplates,
  familyContracts,
  modelFamilies,
  modelSpecSchema,
  recogniserContract,
  type ModelSpec,
  type ModelTensor,
} from '../../../../src/shared/engine/models.ts'

const tensor = (name: string): ModelTensor => ({ name, type: 'float32' })

describe('contracts of the model families', () => {
  it.each(modelFamilies)('%s is a valid spec and needs what its source is made of', (family) => {
    const contract = familyContracts[family]
    const spec = modelSpecSchema.parse({
      ...{ role: 'swapper', family, ...contract },
      inputs: { source: tensor('source'), target: tensor('target') },
      output: tensor('output'),
    })
    expect(spec).toMatchObject(contract)
    const { source, needs } = contract
    expect(needs.recogniser).toBe(source.kind === 'embedding')
    expect(needs.converter !== null).toBe(source.kind === 'embedding' && source.embedding.startsWith('converted'))
  })

  it('have a valid recogniser and converters', () => {
    const tensors = { input: tensor('input'), output: tensor('output') }
    const specs: ModelSpec[] = [
      { role: 'recogniser', ...recogniserContract, ...tensors },
      ...converterFamilies.map((family) => ({ role: 'converter' as const, family, ...tensors })),
    ]
    for (const spec of specs) expect(modelSpecSchema.parse(spec)).toEqual(spec)
  })

  it.each(Object.entries(faceTemplates))('%s is an upright face', (_, [left, right, nose, mouthLeft, mouthRight]) => {
    expect(left[0]).toBeLessThan(nose[0])
    expect(right[0]).toBeGreaterThan(nose[0])
    expect(mouthLeft[0]).toBeLessThan(mouthRight[0])
    expect(Math.max(left[1], right[1])).toBeLessThan(nose[1])
    expect(nose[1]).toBeLessThan(Math.min(mouthLeft[1], mouthRight[1]))
  })
})
