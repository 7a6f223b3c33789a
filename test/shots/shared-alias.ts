/** @file Lets plain Node find `@shared/…`, which the build resolves. Import it before anything from src. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith('@shared/')
      ? next(new URL(`../../src/shared/${specifier.slice('@shared/'.length)}`, import.meta.url).href, context)
      : next(specifier, context),
})
