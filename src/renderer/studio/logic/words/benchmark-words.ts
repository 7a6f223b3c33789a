/** @file Texts in the settings about this computer's benchmark. */
import { formatBytes, formatClock, formatDayInline, formatRate, formatRoughSpan } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { AppInfo } from '@shared/ipc/app-state.ts'
import { workersOfEach, type Measurement, type Speed } from '@shared/engine/benchmark.ts'

interface Words {
  title: string
  /** One text per paragraph. */
  body: string[]
}

/** Time to process one minute of 720p video at 25 frames a second. */
export const minuteAt = ({ fps }: Speed): string => formatRoughSpan(((60 * 25) / fps) * 1000)

export function benchmarkWords({ benchmark, memoryBytes }: AppInfo, nowMs: number): Words {
  const { state, measured, error } = benchmark
  if (state === 'measuring') return { title: m.measuring(), body: [m.measuring_body()] }
  if (error) return { title: m.measuring_failed(), body: [] }
  if (!measured) return { title: m.not_measured(), body: state === 'waiting' ? [m.measuring_waits()] : [] }
  const { encoder, cores, at } = measured
  const fps = formatRate(measured.fps)
  const when = { day: formatDayInline(at, nowMs), time: formatClock(at) }
  const computer = { cores: m.computer_cores({ count: cores }), memory: formatBytes(memoryBytes) }
  return {
    title: encoder === 'hardware' ? m.encodes_hardware({ fps }) : m.encodes_software({ fps }),
    body: [
      `${whyOf(measured)} ${m.face_threads({ count: workersOfEach(cores) })}`,
      m.measured_when({ ...when, ...computer }),
    ],
  }
}

const problems = {
  absent: m.hardware_absent,
  failed: m.hardware_failed,
  silent: m.hardware_silent,
  wrong: m.hardware_wrong,
}

/** Why this encoder was chosen over the other. */
function whyOf({ encoder, hardware, software }: Measurement): string {
  if (hardware.problem !== null) return problems[hardware.problem]()
  if (software.fps === null) return m.hardware_alone()
  const both = { fast: formatRate(hardware.fps ?? 0), slow: formatRate(software.fps) }
  return encoder === 'hardware' ? m.hardware_chosen(both) : m.hardware_slower(both)
}
