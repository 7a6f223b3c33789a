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
  // WebNN (`navigator.ml`), with which the engine runs a model natively. Elsewhere it uses other runtimes, untried here.
  if (process.platform !== 'linux') return
  const features = [commandLine.getSwitchValue('enable-features'), 'WebMachineLearningNeuralNetwork']
  commandLine.appendSwitch('enable-features', features.filter(Boolean).join())
}
