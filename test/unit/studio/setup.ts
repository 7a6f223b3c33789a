/** @file Run before each file of the studio's tests: what jsdom lacks, and the timeout of `findBy…`. */
import { configure } from '@testing-library/svelte'

configure({ asyncUtilTimeout: 50_000 })

Element.prototype.scrollTo = () => undefined
Element.prototype.scrollIntoView = () => undefined
