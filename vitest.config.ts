import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'

const alias = { '@shared': fileURLToPath(new URL('./src/shared', import.meta.url)) }

/** No test measures speed: these limits only catch hangs, even on the slowest machine. */
const limits = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 50_000 } },
  setupFiles: ['test/patience.ts'],
}
/** Plain test files share a process, which loads modules once. So no file may leave state behind. */
const plain = { ...limits, isolate: false, setupFiles: [...limits.setupFiles, 'test/real-globals.ts'] }
/** Tests with windows or the keyring are slow. Files that run in parallel each get their own desktop session. */
const slow = {
  testTimeout: 400_000,
  hookTimeout: 400_000,
  expect: { poll: { timeout: 150_000 } },
  setupFiles: ['test/patience.ts', 'test/session.ts'],
}
const alone = { ...slow, fileParallelism: false }

/** `npm test` first runs unit, studio, contract and model, then the rest in sessions with a screen and a keyring. */
export default defineConfig({
  test: {
    tags: [{ name: 'long', description: 'Exhaustive. Only `npm run test:all` runs it.' }],
    // Code that only runs in Electron or in the engine's workers is tested by e2e, which isn't counted.
    coverage: { provider: 'v8', include: ['src/**/*.{ts,svelte}'], reporter: ['text-summary', 'html'] },
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
        // svelteTesting resolves Svelte to its browser build and unmounts components after each test.
        resolve: { alias },
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: {
          name: 'studio',
          include: ['test/unit/studio/**/*.test.ts'],
          environment: 'jsdom',
          ...plain,
          setupFiles: [...plain.setupFiles, 'test/unit/studio/setup.ts'],
        },
      },
      {
        resolve: { alias },
        test: { name: 'contract', include: ['test/contract/**/*.test.ts'], environment: 'node', ...plain },
      },
      {
        // These tests stop the clock, so each file needs its own process.
        resolve: { alias },
        test: { name: 'model', include: ['test/model/**/*.test.ts'], environment: 'node', ...limits },
      },
      {
        resolve: { alias },
        test: { name: 'keychain', include: ['test/keychain/**/*.test.ts'], environment: 'node', ...slow },
      },
      {
        resolve: { alias },
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/fixtures/test-mains.ts'],
          environment: 'node',
          ...slow,
          setupFiles: [...slow.setupFiles, 'test/evidence.ts'],
          // The files of a worker share a warm Mien (test/e2e/warm.ts).
          isolate: false,
        },
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
