import { builtinModules } from 'node:module'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'

/**
 * Layers: the imports that a folder must not use, as patterns for no-restricted-imports. Everything may import @shared,
 * whose folders have some of the same names.
 */
const no = {
  electron: { regex: '^electron(/|$)', message: 'This layer knows nothing of Electron.' },
  node: {
    regex: `^node:|^(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
    message: 'A renderer has no Node.',
  },
  main: { regex: '(^|/)main/', message: 'Only main imports from main; what crosses lives in @shared.' },
  preload: { regex: '(^|/)preload/', message: 'Nothing imports a preload, but its types.', allowTypeImports: true },
  renderer: { regex: '(^|/)renderer/', message: 'Only a renderer imports from renderer.' },
  engine: {
    regex: '^(?!@shared/)(.*/)?engine/',
    message: 'The studio does not import from the engine; what crosses lives in @shared.',
  },
  studio: {
    regex: '(^|/)studio/',
    message: 'The engine does not import from the studio; what crosses lives in @shared.',
  },
  othersThanZod: { regex: '^(?!zod$|\\.{1,2}/)', message: 'What crosses a boundary depends on nothing but zod.' },
}
/** Higher folders that a folder must not import from. Matches parts of paths, including relative ones. */
const above = (...parts) => ({
  regex: `^(?!@shared/)(.*/)?(${parts.join('|')})(/|$)`,
  message: 'A lower folder does not import from a higher one.',
})
/**
 * The rooms of main, and the other rooms that each may import. A room imports only rooms above it in this table, so
 * imports go one way.
 */
const rooms = {
  machine: [],
  pages: ['machine'],
  provenance: ['machine'],
  remote: ['machine'],
  media: ['machine', 'pages'],
  engine: ['machine', 'pages', 'media'],
  service: ['machine', 'provenance', 'remote', 'engine'],
  swaps: ['machine', 'provenance', 'remote', 'media', 'engine'],
  app: ['machine', 'pages', 'provenance', 'remote', 'media', 'engine', 'service', 'swaps'],
  cli: ['machine', 'provenance', 'remote', 'media', 'engine', 'service', 'swaps', 'app'],
}
/** What a file of the room must not import. */
const inRoom = (room, ...more) => {
  const others = Object.keys(rooms).filter((other) => other !== room && !rooms[room].includes(other))
  return [
    ...[no.preload, no.renderer, ...more],
    { regex: `^(\\.\\./)+(${others.join('|')})/`, message: `${room}/ does not import from there: see \`rooms\`.` },
  ]
}
const aboveStore = ['sending', 'watching', 'results', 'proof', 'versions']
const ipcMain = {
  name: 'electron',
  importNames: ['ipcMain'],
  message: 'Only app/ipc/register.ts and engine/host touch ipcMain.',
}
const ipcRenderer = { name: 'electron', importNames: ['ipcRenderer'], message: 'Only a preload touches ipcRenderer.' }

/** The rule of one layer. If several layers match a file, the last one applies. */
const layer = (files, patterns, paths = [], ignores = []) => ({
  files,
  ignores,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns, paths }] },
})

export default ts.config(
  { ignores: ['node_modules/', 'out/', 'coverage/', '.cache/', 'shots/', 'resources/', 'src/shared/i18n/paraglide/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...ts.configs.strictTypeChecked,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: { ...globals.node, ...globals.browser },
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname, extraFileExtensions: ['.svelte'] },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': ['error', { allow: ['error', 'warn'] }],
      'prefer-const': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // `() => doIt()` is clear, whatever doIt returns.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // An async function without await still turns exceptions into rejections, and may be part of an interface.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { excludedRunes: ['$props', '$state'] }],
      // Sets and maps are stored in $state.raw and replaced as a whole.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  {
    // For many template declarations the parser only sees `any`. svelte-check knows their types and checks them.
    files: ['**/*.svelte'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // In the contract, `void` means "no argument" or "no result".
    files: ['src/shared/ipc/{calls,contract}.ts'],
    rules: { '@typescript-eslint/no-invalid-void-type': 'off' },
  },

  layer(['src/main/index.ts'], [no.preload, no.renderer], [ipcMain, ipcRenderer]),
  ...Object.keys(rooms).map((room) => layer([`src/main/${room}/**/*.ts`], inRoom(room), [ipcMain, ipcRenderer])),
  layer(['src/main/app/ipc/register.ts'], inRoom('app'), [ipcRenderer]),
  layer(['src/main/engine/host/*.ts'], inRoom('engine'), [ipcRenderer]),
  layer(['src/main/machine/{disk,transfer,keychain,settings}/**/*.ts'], inRoom('machine', no.electron)),
  layer(['src/main/provenance/**/*.ts'], inRoom('provenance', no.electron)),
  layer(['src/main/remote/*/**/*.ts'], inRoom('remote', no.electron)),
  layer(['src/main/remote/s3/*.ts'], inRoom('remote', no.electron, above('client', 'pairing', 'profiles', 'uploads'))),
  layer(['src/main/service/**/*.ts'], inRoom('service', no.electron)),
  layer(['src/main/swaps/**/*.ts'], inRoom('swaps', no.electron)),
  layer(['src/main/swaps/rules/*.ts'], inRoom('swaps', no.electron, above('store', ...aboveStore))),
  layer(['src/main/swaps/{store,sending,watching,results}/*.ts'], inRoom('swaps', no.electron, above(...aboveStore))),
  layer(['src/preload/**/*.ts'], [no.main, no.renderer, no.node], [ipcMain]),
  layer(['src/renderer/**/*.{ts,svelte}'], [no.main, no.preload, no.electron, no.node]),
  layer(['src/renderer/studio/**/*.{ts,svelte}'], [no.main, no.preload, no.electron, no.node, no.engine]),
  layer(
    ['src/renderer/studio/{logic,media}/**/*.ts'],
    [no.main, no.preload, no.electron, no.node, no.engine, above('state', 'components', 'views')],
  ),
  layer(
    ['src/renderer/studio/{state,components}/**/*.{ts,svelte}'],
    [no.main, no.preload, no.electron, no.node, no.engine, above('views')],
  ),
  layer(['src/renderer/engine/**/*.ts'], [no.main, no.preload, no.electron, no.node, no.studio]),
  layer(
    ['src/renderer/engine/{raster,source,face,media,track}/**/*.ts'],
    [no.main, no.preload, no.electron, no.node, no.studio, above('jobs', 'render')],
  ),
  layer(['src/shared/**/*.ts'], [no.main, no.preload, no.renderer, no.othersThanZod]),

  {
    // tsc checks plain JavaScript by its JSDoc types. These files may write to the terminal.
    files: ['**/*.{js,mjs}'],
    ...ts.configs.disableTypeChecked,
    rules: { ...ts.configs.disableTypeChecked.rules, 'no-console': 'off' },
  },
)
