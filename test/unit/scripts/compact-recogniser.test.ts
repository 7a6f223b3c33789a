import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as runtime from 'onnxruntime-node'
import { expect, it } from 'vitest'
import { createSession } from '../../../src/renderer/engine/neural/session.ts'
import { encodeModel } from '../../fixtures/onnx.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const noise = (length: number, size: number): number[] =>
  Array.from({ length }, (_, at) => size * Math.sin(at * 12.9898 + Math.sin(at * 78.233)))

it('stores large weights in a quarter of their size, and the model answers as before', async () => {
  const folder = tempDir()
  const [from, to, again] = ['from.onnx', 'to.onnx', 'again.onnx'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const weights = { name: 'weights', dims: [100, 120, 1, 1] }
  const bias = { name: 'bias', dims: [100] }
  const data = { name: 'data', dims: [1, 120, 4, 4] }
  const model = encodeModel(
    {
      nodes: [{ op: 'Conv', inputs: ['data', 'weights', 'bias'], outputs: ['out'] }],
      // As exporters of old files do, weights are inputs as well.
      inputs: [data, weights, bias],
      outputs: [{ name: 'out', dims: [1, 100, 4, 4] }],
      initializers: [
        { ...weights, data: noise(12_000, 0.2) },
        { ...bias, data: noise(100, 1) },
      ],
    },
    8,
  )
  writeFileSync(from, model)
  for (const file of [to, again]) execFileSync(process.execPath, ['scripts/models/compact-recogniser.mjs', from, file])
  const made = readFileSync(to)
  expect(made.equals(readFileSync(again))).toBe(true)
  expect(made.length).toBeLessThan(model.length * 0.3)
  const input = { ...data, type: 'float32', data: Float32Array.from(noise(120 * 16, 1)) } as const
  const [before, after] = await Promise.all(
    [model, made].map(async (bytes) => (await createSession(runtime, bytes, 'cpu')).run([input], 'out')),
  )
  const off = before?.map((value, at) => Math.abs(value - (after?.[at] ?? 0))) ?? []
  expect(Math.max(...off)).toBeGreaterThan(0)
  expect(Math.max(...off)).toBeLessThan(0.03)
})
