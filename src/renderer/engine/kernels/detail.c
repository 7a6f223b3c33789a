/* Detail: sharpness and grain, measured and changed. */
#include "common.h"

/* Adds eight values on either side of the middle, at a distance of `tap`, of which those at `2 * r` count once. */
static inline v128_t add_sides(v128_t sums, v128_t before, v128_t after, i32 r, i32 tap) {
  return wasm_i16x8_add(sums, wasm_i16x8_mul(wasm_i16x8_add(before, after), wasm_i16x8_splat((short)(2 * r + 1 - tap))));
}

static inline __attribute__((always_inline)) void soften_by(const i32 r, u8 *plane, const u8 *mask, i32 width, i32 height, i32 scale) {
  /* The last rows, blurred along; sums of radius 2 are quarters, so that those across fit into 16 bits. */
  static u16 lines[9][MOST + 8];
  static i16 shares[MOST + 16];
  const u16 *rows[9];
  const i32 border = 4, taps = 4 * r + 1, less = r == 2 ? 2 : 0, weight = (2 * r + 1) * (2 * r + 1);
  /* What takes the sums to 2^20 for each level. */
  const v128_t unit = wasm_i16x8_splat((short)(((1 << (20 + less)) + weight * weight / 2) / (weight * weight)));
  const v128_t middle = wasm_i16x8_splat((short)(2 * r + 1)), half = wasm_i32x4_const_splat(1 << 19), round = wasm_i16x8_splat((short)(less ? 2 : 0));
  for (i32 next = border - 2 * r; next < height - border + 2 * r; next += 1) {
    const u8 *line = plane + next * width;
    u16 *along = lines[next % taps];
    for (i32 x = border; x < width - border; x += 8) {
      v128_t sums = wasm_i16x8_mul(wasm_u16x8_load8x8(line + x), middle);
      UNROLL for (i32 tap = 1; tap <= 2 * r; tap += 1) sums = add_sides(sums, wasm_u16x8_load8x8(line + x - tap), wasm_u16x8_load8x8(line + x + tap), r, tap);
      wasm_v128_store(along + x, wasm_u16x8_shr(wasm_i16x8_add(sums, round), less));
    }
    const i32 row = next - 2 * r;
    if (row < border) continue;
    const Range drawn = shares_of_row(mask, width, height, row, scale, shares);
    const i32 end = least(width - border, drawn.to);
    u8 *to = plane + row * width;
    for (i32 tap = 0; tap < taps; tap += 1) rows[tap] = lines[(next - 4 * r + tap) % taps];
    for (i32 x = most(border, drawn.from); x < end; x += 8) {
      v128_t sums = wasm_i16x8_mul(wasm_v128_load(rows[2 * r] + x), middle);
      UNROLL for (i32 tap = 1; tap <= 2 * r; tap += 1) sums = add_sides(sums, wasm_v128_load(rows[2 * r - tap] + x), wasm_v128_load(rows[2 * r + tap] + x), r, tap);
      const v128_t low = wasm_u32x4_shr(wasm_i32x4_add(wasm_u32x4_extmul_low_u16x8(sums, unit), half), 20);
      const v128_t high = wasm_u32x4_shr(wasm_i32x4_add(wasm_u32x4_extmul_high_u16x8(sums, unit), half), 20);
      store_eight(to + x, mixed(wasm_u16x8_load8x8(to + x), wasm_i16x8_narrow_i32x4(low, high), wasm_v128_load(shares + x)), end - x);
    }
  }
}

/*
 * Mixes a blurred version into a plane, in place, by the share that `scale` gives, but not within 4 pixels of the border. The
 * blur is a box of radius `r`, 1 or 2, twice.
 */
EXPORT("soften") void soften(u8 *plane, const u8 *mask, i32 width, i32 height, i32 r, i32 scale) {
  if (r == 1) soften_by(1, plane, mask, width, height, scale);
  else soften_by(2, plane, mask, width, height, scale);
}

/* The square of what sharpnessOf gives, see there. */
EXPORT("sharpness") double sharpness(const u8 *plane, i32 width, i32 height, i32 coarse, i32 border) {
  double near = 0, far = 0;
  for (i32 row = border; row < height - border; row += 1) {
    const u8 *line = plane + row * width;
    i32 next = 0, apart = 0;
    for (i32 x = border; x < width - border - coarse; x += 1) {
      next += (line[x + 1] - line[x]) * (line[x + 1] - line[x]);
      apart += (line[x + coarse] - line[x]) * (line[x + coarse] - line[x]);
    }
    near += next;
    far += apart;
  }
  return far > 0 ? near / far : 0;
}

/*
 * How much each pixel of a part of a row stands out of the binomial mean of its 3 x 3, in 16ths. Unlike with the mean of a block,
 * an even slope has none, so that shadows don't become a grid. Pixels at the row's ends have none. `stride`: the row's length.
 */
static void stand_out(const u8 *restrict line, i32 stride, i32 from, i32 to, i16 *restrict out) {
  static i16 sums[MOST + 8];
  const u8 *above = line - stride, *below = line + stride;
  for (i32 x = most(0, from - 1); x < least(stride, to + 1); x += 1) sums[x] = (i16)(above[x] + 2 * line[x] + below[x]);
  for (i32 x = most(1, from); x < least(stride - 1, to); x += 1) out[x] = (i16)(16 * line[x] - sums[x - 1] - 2 * sums[x] - sums[x + 1]);
  if (from == 0) out[0] = 0;
  if (to == stride) out[stride - 1] = 0;
}

/*
 * By how many 16ths single pixels stand out of their surroundings, 255 and more as 255, where the mask has `flag`, looked for in
 * every `step`th row of the mask: how many pixels have each value, 256 counts of the drawn luma, then 256 of the frame's. Both
 * are as large as the mask, which `width` and `height` are of, or with a `shift` of 1 twice as large.
 */
EXPORT("count_grain") void count_grain(const u8 *mask, const u8 *drawn, const u8 *frame, i32 width, i32 height, i32 shift, i32 step, i32 flag, i32 *counts) {
  static i16 offs[MOST + 8];
  const u8 *luma[2] = {drawn, frame};
  /* The first row has none above it, and the last one none below. */
  for (i32 row = step; row < height - 1; row += step) {
    const u8 *lit = mask + row * width;
    const i32 from = first_drawn(lit, lit, width), to = end_drawn(lit, lit, width);
    if (from >= to) continue;
    for (i32 plane = 0; plane < 2; plane += 1) {
      stand_out(luma[plane] + ((row * width) << (2 * shift)), width << shift, from << shift, to << shift, offs);
      for (i32 x = from; x < to; x += 1) {
        if (!(lit[x] & flag)) continue;
        const i32 value = offs[x << shift], off = value < 0 ? -value : value;
        counts[plane * 256 + least(255, off)] += 1;
      }
    }
  }
}

/* drawn += what the frame's pixels stand out of their surroundings, at most `bound` 16ths, times `share`, under the mask. */
EXPORT("add_grain") void add_grain(const u8 *mask, u8 *restrict drawn, const u8 *frame, i32 width, i32 height, i32 bound, float share) {
  static i16 offs[MOST + 8];
  /* In a nearly black frame a share of 16 is enough: what is drawn becomes that much darker. */
  const v128_t part = wasm_i16x8_splat((short)(share < 16 ? share * 2048 : 32767)), most_off = wasm_i16x8_splat((short)bound), least_off = wasm_i16x8_neg(most_off);
  for (i32 row = 1; row < height * 2 - 1; row += 1) {
    const u8 *lit = mask + (row >> 1) * width;
    const i32 from = first_drawn(lit, lit, width) * 2, to = end_drawn(lit, lit, width) * 2;
    if (from >= to) continue;
    stand_out(frame + row * width * 2, width * 2, from, to, offs);
    u8 *out = drawn + row * width * 2;
    for (i32 x = from; x < to; x += 8) {
      const v128_t four = wasm_v128_load32_zero(lit + x / 2);
      const v128_t twice = wasm_u16x8_extend_low_u8x16(wasm_i8x16_shuffle(four, four, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0));
      const v128_t off = wasm_i16x8_max(least_off, wasm_i16x8_min(most_off, wasm_v128_load(offs + x)));
      const v128_t added = wasm_i16x8_q15mulr_sat(off, part) & wasm_i16x8_ne(twice, wasm_i16x8_const_splat(0));
      store_eight(out + x, wasm_i16x8_add(wasm_u16x8_load8x8(out + x), added), to - x);
    }
  }
}

/* A plane at half size: means of four. `width` and `height`: of the half. */
EXPORT("halve") void halve(const u8 *plane, u8 *restrict half, i32 width, i32 height) {
  for (i32 row = 0; row < height; row += 1, plane += 4 * width, half += width)
    for (i32 x = 0; x < width; x += 8) store_eight(half + x, means_of_four(plane + 2 * x, 2 * width), width - x);
}

/*
 * As `add_grain`, for detail of twice the size: what stands out of the frame at half size, `half`, which is as large as the mask,
 * enlarged by linear interpolation.
 */
EXPORT("add_coarse_grain") void add_coarse_grain(const u8 *mask, u8 *restrict drawn, const u8 *half, i32 width, i32 height, i32 bound, float share) {
  static i16 lines[2][MOST + 8], near[MOST + 8];
  const i32 part = (i32)((share < 16 ? share : 16) * 256 + 0.5f);
  for (i32 x = 0; x < width; x += 1) lines[0][x] = 0;
  for (i32 row = 1; row < height - 1; row += 1) {
    i16 *restrict above = lines[(row - 1) & 1], *restrict here = lines[row & 1];
    const u8 *lit = mask + row * width;
    stand_out(half + row * width, width, 0, width, here);
    for (i32 x = 0; x < width; x += 1) {
      const i32 off = most(-bound, least(bound, here[x]));
      here[x] = (i16)(lit[x] == 0 ? 0 : most(-2000, least(2000, off * part >> 8)));
    }
    for (i32 second = 0; second < 2; second += 1) {
      const i32 upper = second ? 1 : 3, lower = 4 - upper;
      for (i32 x = 0; x < width; x += 1) near[x] = (i16)(upper * above[x] + lower * here[x]);
      u8 *out = drawn + (row * 2 - 1 + second) * width * 2;
      for (i32 x = 1; x < width; x += 1) {
        const i32 left = out[2 * x - 1] + ((3 * near[x - 1] + near[x] + 128) >> 8), right = out[2 * x] + ((near[x - 1] + 3 * near[x] + 128) >> 8);
        out[2 * x - 1] = (u8)least(255, most(0, left));
        out[2 * x] = (u8)least(255, most(0, right));
      }
    }
  }
}
