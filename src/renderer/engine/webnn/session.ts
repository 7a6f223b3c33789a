/** @file A model as WebNN runs it: natively, on the processor, in Chromium's GPU process. */
import { ProtobufFile, type Source } from '@shared/engine/protobuf.ts'
import { compile, type Compiled, type Slot } from './compile.ts'
import { createContext, type MlContext, type MlTensor } from './ml.ts'

type Tensors = Map<Slot, MlTensor>

interface Session {
  /** @returns the output's values */
  run: (inputs: readonly { name: string; data: Float32Array }[], output: string) => Promise<Float32Array>
  release: () => Promise<void>
}

/** @throws Error if there is no WebNN or the model isn't supported */
export async function createNativeSession(model: Source, threads: number): Promise<Session> {
  const context = await createContext()
  try {
    return await sessionIn(context, await compile(context, new ProtobufFile(model), threads))
  } catch (error) {
    context.destroy()
    throw error
  }
}

async function sessionIn(context: MlContext, { steps, inputs, outputs }: Compiled): Promise<Session> {
  const tensors = await tensorsFor(context, { steps, inputs, outputs })
  const named = (slots: readonly Slot[]): Record<string, MlTensor> =>
    Object.fromEntries(slots.map((slot) => [slot.name, of(tensors, slot)]))
  const dispatches = steps.map((step) => [step.graph, named(step.inputs), named(step.outputs)] as const)
  return {
    run: async (given, output) => {
      for (const { name, data } of given) context.writeTensor(of(tensors, inputs.get(name)), data)
      for (const dispatch of dispatches) context.dispatch(...dispatch)
      return new Float32Array(await context.readTensor(of(tensors, outputs.get(output))))
    },
    release: () => {
      context.destroy()
      return Promise.resolve()
    },
  }
}

function of(tensors: Tensors, slot: Slot | undefined): MlTensor {
  const tensor = slot && tensors.get(slot)
  if (!tensor) throw new Error('the model has no such tensor')
  return tensor
}

/** Tensors for all slots. Slots of one size share a tensor, if one's last reader runs before the other's writer. */
async function tensorsFor(context: MlContext, { steps, inputs, outputs }: Compiled): Promise<Tensors> {
  const tensors: Tensors = new Map()
  const create = async (slot: Slot, use: { readable?: boolean; writable?: boolean }): Promise<void> => {
    tensors.set(slot, await context.createTensor({ dataType: 'float32', shape: slot.shape, ...use }))
  }
  for (const slot of inputs.values()) await create(slot, { writable: true })
  for (const slot of outputs.values()) await create(slot, { readable: true })
  const kept = new Set(tensors.keys())
  const lastReader = new Map(steps.flatMap((step, index) => step.inputs.map((slot) => [slot, index] as const)))
  const free = new Map<string, MlTensor[]>()
  for (const [index, step] of steps.entries()) {
    for (const slot of step.outputs) {
      if (kept.has(slot)) continue
      const unused = free.get(slot.shape.join())?.pop()
      if (unused) tensors.set(slot, unused)
      else await create(slot, {})
    }
    for (const slot of step.inputs) {
      if (kept.has(slot) || lastReader.get(slot) !== index) continue
      const size = slot.shape.join()
      free.set(size, [...(free.get(size) ?? []), of(tensors, slot)])
    }
  }
  return tensors
}
