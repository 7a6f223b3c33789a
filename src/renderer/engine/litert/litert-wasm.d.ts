/** The runtime's Emscripten factory, which comes without types. */
declare module '@litertjs/core/wasm/litert_wasm_jspi_internal.js' {
  const factory: (module: object) => Promise<object>
  export default factory
}
