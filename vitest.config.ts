import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'

const alias = { '@shared': fileURLToPath(new URL('./src/shared', import.meta.url)) }

/** No test is about speed: the limits are for what hangs, on the slowest machine. */
const limits = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 50_000 } },
  setupFiles: ['test/patience.ts'],
}
/** Files of plain tests share a process: modules are loaded once, and no file may leave anything behind. */
const plain = { ...limits, isolate: false }
/** Tests that open windows or ask the keyring take their time; who runs beside others has a session of its own. */
const slow = {
  testTimeout: 400_000,
  hookTimeout: 400_000,
  expect: { poll: { timeout: 200_000 } },
  setupFiles: ['test/patience.ts', 'test/session.ts'],
}
const alone = { ...slow, fileParallelism: false }

/** `npm test` runs the first three together, then the others in sessions with a screen and a keyring. */
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
          ...plain,
        },
      },
      {
        // svelteTesting resolves Svelte to its browser build, and unmounts after each test.
        resolve: { alias },
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: {
          name: 'studio',
          include: ['test/unit/studio/**/*.test.ts'],
          environment: 'jsdom',
          ...plain,
          setupFiles: [...plain.setupFiles, 'test/unit/studio/patience.ts'],
        },
      },
      {
        resolve: { alias },
        test: { name: 'contract', include: ['test/contract/**/*.test.ts'], environment: 'node', ...plain },
      },
      {
        // Time stands still in these tests, so each file has a process of its own.
        resolve: { alias },
        test: { name: 'model', include: ['test/model/**/*.test.ts'], environment: 'node', ...limits },
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
          ...alone,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: ['test/package/build.ts'],
          environment: 'node',
          ...alone,
        },
      },
    ],
  },
})
