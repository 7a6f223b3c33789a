/** @file What has to be set before Chromium starts. */
import type { App } from 'electron'
import { registerSchemes } from './app-protocol.ts'
import { lockContents, turnOffSpellChecker } from './lock-session.ts'

/** Call before the app is ready. Flags that the user gave stay. */
export function setUpChromium(app: App): void {
  const { commandLine } = app
  // Root can't use Chromium's sandbox: scripts then pass --no-sandbox, which enableSandbox would override.
  if (!commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
  registerSchemes()
  lockContents(app)
  turnOffSpellChecker(app)
  // Elsewhere, neither was tried.
  if (process.platform !== 'linux') return
  const features = [commandLine.getSwitchValue('enable-features'), ...linuxFeatures]
  commandLine.appendSwitch('enable-features', features.filter(Boolean).join())
}

const linuxFeatures = [
  // WebNN (`navigator.ml`), with which the engine runs a model natively.
  'WebMachineLearningNeuralNetwork',
  // Chromium's network code in main, as on Android. The page can't start before that code has read its headers, and a
  // process of its own starts late while main is busy. On Linux, that process has no sandbox either.
  'NetworkServiceInProcess2',
]
