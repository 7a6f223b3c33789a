import { expect, it } from 'vitest'
import { maxZoom, settingsPatchSchema, settingsSchema } from '@shared/settings/settings.ts'

const defaults = settingsSchema.parse({})

it('has a default for each setting, which may be set', () => {
  expect(settingsPatchSchema.parse(defaults)).toEqual(defaults)
})

it.each(Object.keys(defaults))('%s: an invalid value is read as the default, and cannot be set', (name) => {
  expect(settingsSchema.parse({ [name]: null })).toEqual(defaults)
  expect(settingsPatchSchema.safeParse({ [name]: null }).success).toBe(false)
})

it.each([{ zoomFactor: maxZoom + 1 }, { theme: 'blue' }, { theme: undefined }, { colour: 'red' }])(
  'refuses the change %j',
  (change) => {
    expect(settingsPatchSchema.safeParse(change).success).toBe(false)
  },
)

it('leaves the others as they are', () => expect(settingsPatchSchema.parse({ muted: true })).toEqual({ muted: true }))

it('reads the keys of an action as its default ones if they are invalid, and keeps those of others', () => {
  const shortcuts = { 'viewer.repeat': ['mod+R'], 'viewer.sound': [], 'viewer.play': 'K', 'viewer.end': ['no keys'] }
  const read = settingsSchema.parse({ shortcuts }).shortcuts
  expect(JSON.parse(JSON.stringify(read))).toEqual({ 'viewer.repeat': ['mod+R'], 'viewer.sound': [] })
})
