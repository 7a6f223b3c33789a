/** @file As test/patience.ts, for `findBy…`. */
import { configure } from '@testing-library/svelte'

configure({ asyncUtilTimeout: 50_000 })
