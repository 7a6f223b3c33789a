import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'

const alias = { '@shared': fileURLToPath(new URL('./src/shared', import.meta.url)) }

/** No test is about speed: the limits are for what hangs, on the slowest machine. */
const limits = { testTimeout: 60_000, hookTimeout: 60_000 }
/** Tests that open windows or ask the keyring share one screen and one session, and take their time. */
const slow = { testTimeout: 300_000, hookTimeout: 300_000, fileParallelism: false }

/** `npm test` runs the first three together, then the others inside a session with a screen and a keyring. */
export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: ['test/unit/studio/**'],
          environment: 'node',
          ...limits,
        },
      },
      {
        // svelteTesting resolves Svelte to its browser build, and unmounts after each test.
        resolve: { alias },
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: { name: 'studio', include: ['test/unit/studio/**/*.test.ts'], environment: 'jsdom', ...limits },
      },
      {
        resolve: { alias },
        test: { name: 'contract', include: ['test/contract/**/*.test.ts'], environment: 'node', ...limits },
      },
      {
        resolve: { alias },
        test: { name: 'keychain', include: ['test/keychain/**/*.test.ts'], environment: 'node', ...slow },
      },
      {
        resolve: { alias },
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], environment: 'node', ...slow },
      },
      {
        resolve: { alias },
        test: {
          name: 'updates',
          include: ['test/updates/**/*.test.ts'],
          globalSetup: ['test/updates/build.ts'],
          environment: 'node',
          ...slow,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: ['test/package/build.ts'],
          environment: 'node',
          ...slow,
        },
      },
    ],
  },
})
