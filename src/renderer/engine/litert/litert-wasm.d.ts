/** The runtime's Emscripten factory; a script without types of its own. */
declare module '@litertjs/core/wasm/litert_wasm_internal.js' {
  const factory: (module: object) => Promise<object>
  export default factory
}
