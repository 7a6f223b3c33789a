/** @file A proxy as Chromium wants it told. Pure. */
import type { ProxyConfig } from 'electron'
import type { ProxyChoice } from './policy.ts'

export function proxyConfig(choice: ProxyChoice): ProxyConfig {
  if (choice === 'system') return { mode: 'system' }
  if (choice === 'none') return { mode: 'direct' }
  // Chromium leaves out this computer's own addresses by itself, which the embedded service needs.
  return { mode: 'fixed_servers', proxyRules: choice.rules }
}
