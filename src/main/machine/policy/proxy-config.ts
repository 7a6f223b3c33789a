/** @file Converts a proxy choice to Chromium's configuration. Pure. */
import type { ProxyConfig } from 'electron'
import type { ProxyChoice } from './policy.ts'

export function proxyConfig(choice: ProxyChoice): ProxyConfig {
  if (choice === 'system') return { mode: 'system' }
  if (choice === 'none') return { mode: 'direct' }
  // Chromium bypasses the proxy for loopback by default, which the embedded service needs.
  return { mode: 'fixed_servers', proxyRules: choice.rules }
}
