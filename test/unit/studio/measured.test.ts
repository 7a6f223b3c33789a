import { fireEvent, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { expect, it } from 'vitest'
import type { BenchmarkView } from '@shared/engine/benchmark.ts'
import { openStudio } from './open-studio.ts'

const view = (change: Partial<BenchmarkView>): BenchmarkView => ({
  state: 'idle',
  measured: {
    ...{ key: '', at: Date.now(), cores: 4, encoder: 'software', fps: 50 },
    ...{ hardware: { fps: null, problem: 'absent' }, software: { fps: 140, problem: null } },
  },
  speeds: [
    { height: 360, fps: 97.6 },
    { height: 720, fps: 50 },
    { height: 1080, fps: 27.6 },
  ],
  error: null,
  ...change,
})

it('shows what was measured as it is measured, and asks for more', async () => {
  const { main, studio } = await openStudio({ info: { benchmark: view({}) } })
  studio.settings()
  await screen.findByText('About 50 fps at 720p on the processor')
  expect(screen.getByText('28 fps').parentElement?.textContent).toContain('1080p')
  expect(screen.getByText(/1-minute video at 720p and 25 fps takes about 30 s/)).toBeTruthy()

  const emit = async (change: Partial<BenchmarkView>): Promise<void> => {
    main.infoChanged.emit({ ...main.info, benchmark: view(change) })
    await tick()
  }
  await fireEvent.click(screen.getByRole('button', { name: 'Measure again' }))
  expect(main.calls.at(-1)?.method).toBe('measure')
  await emit({ state: 'measuring' })
  screen.getByText('Measuring this computer')
  await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(main.calls.at(-1)?.method).toBe('stopMeasuring')
  await emit({ state: 'busy' })
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Measure again' }).disabled).toBe(true)
  await emit({ measured: null, speeds: [], error: { code: 'engine-crashed', details: {} } })
  screen.getByText('Couldn’t measure this computer')
  screen.getByRole('button', { name: 'Measure now' })
  expect(screen.queryByText('1080p')).toBeNull()
})
