/** Reads bits of a codec's headers, the highest of each byte first. Beyond the end they are 0. */
export class Bits {
  /** Offset in bits. */
  at = 0

  constructor(private readonly bytes: Uint8Array) {}

  take(count: number): number {
    let value = 0
    for (let left = count; left > 0; left -= 1, this.at += 1)
      value = value * 2 + (((this.bytes[this.at >> 3] ?? 0) >> (7 - (this.at & 7))) & 1)
    return value
  }

  flag(): boolean {
    return this.take(1) === 1
  }

  /** Exp-Golomb code without sign (ITU-T H.264, 9.1). AV1's `uvlc` is the same. */
  golomb(): number {
    let zeros = 0
    while (zeros < 32 && !this.flag()) zeros += 1
    return 2 ** zeros - 1 + this.take(zeros)
  }

  signedGolomb(): number {
    const code = this.golomb()
    return code % 2 === 0 ? -code / 2 : (code + 1) / 2
  }
}
