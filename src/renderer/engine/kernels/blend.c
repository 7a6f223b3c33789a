/* Blends a drawn face into the frame: luma, chroma, and both without a correction. */
#include "common.h"

/* to += (from - to) * share, in place; the share in parts of 4096. */
EXPORT("mix_bytes") void mix_bytes(const u8 *from, u8 *to, i32 count, i32 share) {
  const v128_t by = wasm_i16x8_splat((short)share);
  for (i32 at = 0; at < count; at += 8)
    store_eight(to + at, mixed(wasm_u16x8_load8x8(to + at), wasm_u16x8_load8x8(from + at), by), count - at);
}

/*
 * target += (source * gain + offset - off * off * curve - target) * share, in place; `off`: how far the source is from `mean`,
 * below which the curve is `dark`, else `light`. Fields over a grid whose cells are counted at half size. `scale`: what takes 16 * 255 to 4096 * 4096.
 */
EXPORT("blend_luma") void blend_luma(const u8 *restrict source, u8 *restrict target, const u8 *mask, i32 width, i32 height, const float *gain,
                const float *offset, const float *mean, const float *dark, const float *light, i32 columns, i32 rows, i32 cell, i32 scale) {
  static Band gains, offsets, means, darks, lights;
  static i16 shares[MOST + 16];
  const Grid grid = {columns, rows, cell * 2, width};
  for (i32 row = 0; row < height; row += 1, source += width, target += width) {
    const v128_t since = wasm_f32x4_splat(row_of_band(grid, row));
    if (row_of_band(grid, row) == 0) {
      read_band(gain, grid, row, &gains);
      read_band(offset, grid, row, &offsets);
      read_band(mean, grid, row, &means);
      read_band(dark, grid, row, &darks);
      read_band(light, grid, row, &lights);
    }
    const Range drawn = shares_of_row(mask, width, height, row, scale, shares);
    for (i32 x = drawn.from; x < drawn.to; x += 8) {
      const v128_t was = wasm_u16x8_load8x8(target + x), own = wasm_u16x8_load8x8(source + x);
      v128_t corrected[2];
      UNROLL for (i32 part = 0; part < 2; part += 1) {
        const i32 at = x + part * 4;
        const v128_t value = part ? high_floats(own) : low_floats(own);
        const v128_t off = wasm_f32x4_sub(value, four_of(&means, at, since));
        const v128_t below = wasm_f32x4_lt(off, wasm_f32x4_const_splat(0));
        const v128_t curve = wasm_v128_bitselect(four_of(&darks, at, since), four_of(&lights, at, since), below);
        const v128_t bent = wasm_f32x4_mul(wasm_f32x4_mul(off, off), curve);
        const v128_t straight = wasm_f32x4_add(wasm_f32x4_mul(value, four_of(&gains, at, since)), four_of(&offsets, at, since));
        corrected[part] = whole(wasm_f32x4_sub(straight, bent));
      }
      store_eight(target + x, mixed(was, wasm_i16x8_narrow_i32x4(corrected[0], corrected[1]), wasm_v128_load(shares + x)), drawn.to - x);
    }
  }
}

static void mix_row(const u8 *restrict from, u8 *restrict to, const i16 *restrict shares, i32 start, i32 end) {
  for (i32 x = start; x < end; x += 8)
    store_eight(to + x, mixed(wasm_u16x8_load8x8(to + x), wasm_u16x8_load8x8(from + x), wasm_v128_load(shares + x)), end - x);
}

/* target += (source - target) * share, in place: luma, then both chroma planes. `scale`: what takes 16 * 255 to 4096 * 4096. */
EXPORT("mix") void mix(const u8 *source_y, const u8 *source_u, const u8 *source_v, u8 *target_y, u8 *target_u, u8 *target_v, const u8 *mask,
                       i32 width, i32 height, i32 scale, float opacity) {
  static i16 shares[MOST + 16];
  for (i32 row = 0; row < height; row += 1) {
    const Range drawn = shares_of_row(mask, width, height, row, scale, shares);
    mix_row(source_y + row * width, target_y + row * width, shares, drawn.from, drawn.to);
  }
  const i32 half = width / 2;
  const i32 part = (i32)(opacity * 4096 * 256 / 255);
  for (i32 row = 0; row < height / 2; row += 1) {
    const i32 at = row * half, from = first_drawn(mask + at, mask + at, half), to = end_drawn(mask + at, mask + at, half);
    for (i32 x = from; x < to; x += 1) shares[x] = (i16)((mask[at + x] * part) >> 8);
    mix_row(source_u + at, target_u + at, shares, from, to);
    mix_row(source_v + at, target_v + at, shares, from, to);
  }
}

/* Luma above black that counts for the hue; see "colourful" in hue.ts. */
static inline v128_t colourful(v128_t luma) {
  return wasm_f32x4_mul(luma, bound(times(wasm_f32x4_sub(wasm_f32x4_const_splat(219), luma), 1.0f / 44), 90.0f / 256, 1));
}

/* Luma about its local mean: `less` of the difference less, of which a quarter of the luma counts; see "HueSlope". */
static inline v128_t flattened(v128_t luma, v128_t mean, float less) {
  const v128_t most_off = times(luma, 0.25f);
  const v128_t off = wasm_f32x4_pmin(most_off, wasm_f32x4_pmax(wasm_f32x4_neg(most_off), wasm_f32x4_sub(mean, luma)));
  return wasm_f32x4_add(luma, times(off, less));
}

/* What changes four pixels of one chroma plane: `hue` of the target, and the source's chroma beyond its own hue, `trust`ed so far. */
static inline v128_t change_of(v128_t was, v128_t own, v128_t hue, v128_t own_hue, v128_t trust, float detail, v128_t share) {
  const v128_t middle = wasm_f32x4_const_splat(128);
  const v128_t sum = wasm_f32x4_add(hue, wasm_f32x4_mul(wasm_f32x4_sub(times(wasm_f32x4_sub(own, middle), detail), own_hue), trust));
  /* Detail may weaken the skin's hue but not turn it over. */
  const v128_t weakest = times(hue, 0.7f);
  const v128_t bounded = wasm_v128_bitselect(wasm_f32x4_pmin(sum, weakest), wasm_f32x4_pmax(sum, weakest), wasm_f32x4_lt(hue, wasm_f32x4_const_splat(0)));
  return wasm_f32x4_mul(wasm_f32x4_sub(wasm_f32x4_add(bound(bounded, -128, 128), middle), was), share);
}

/*
 * Both chroma planes, in place, once the luma is blended. The target's and the source's hue of u, then of v, are
 * fields over the grid, and so are the means of both lumas that count for it. `scale`: what takes 255 to 1.
 */
EXPORT("blend_chroma") void blend_chroma(const u8 *source_y, const u8 *source_u, const u8 *source_v, const u8 *target_y, u8 *target_u, u8 *target_v,
                  const u8 *mask, i32 width, i32 height, const float *u_target, const float *u_source, const float *v_target, const float *v_source, const float *target_means, const float *source_means, i32 columns, i32 rows, i32 cell,
                  float target_less, float source_less, float u_detail, float v_detail, float scale) {
  static Band target_mean, source_mean, hues[2], own_hues[2];
  const Grid grid = {columns, rows, cell, width};
  const v128_t black = wasm_i16x8_const_splat(16);
  const u8 *sources[2] = {source_u, source_v};
  u8 *targets[2] = {target_u, target_v};
  const float details[2] = {u_detail, v_detail};
  for (i32 row = 0; row < height; row += 1) {
    const i32 start = row * width;
    const v128_t since = wasm_f32x4_splat(row_of_band(grid, row));
    if (row_of_band(grid, row) == 0) {
      read_band(target_means, grid, row, &target_mean);
      read_band(source_means, grid, row, &source_mean);
      read_band(u_target, grid, row, &hues[0]);
      read_band(u_source, grid, row, &own_hues[0]);
      read_band(v_target, grid, row, &hues[1]);
      read_band(v_source, grid, row, &own_hues[1]);
    }
    const i32 from = first_drawn(mask + start, mask + start, width), to = end_drawn(mask + start, mask + start, width);
    for (i32 x = from; x < to; x += 8) {
      const v128_t light = wasm_i16x8_sub(means_of_four(source_y + start * 4 + 2 * x, width * 2), black);
      const v128_t dark = wasm_i16x8_sub(means_of_four(target_y + start * 4 + 2 * x, width * 2), black);
      const v128_t weights = wasm_u16x8_load8x8(mask + start + x);
      v128_t changed[2][2];
      UNROLL for (i32 part = 0; part < 2; part += 1) {
        const i32 at = x + part * 4;
        const v128_t share = times(part ? high_floats(weights) : low_floats(weights), scale);
        const v128_t lit = flattened(part ? high_floats(light) : low_floats(light), four_of(&source_mean, at, since), source_less);
        const v128_t under = flattened(colourful(part ? high_floats(dark) : low_floats(dark)), four_of(&target_mean, at, since), target_less);
        /* What is dark in the source has no hue of its own that could be trusted. */
        const v128_t trust = times(bound(lit, 0, 96), 1.0f / 96);
        UNROLL for (i32 plane = 0; plane < 2; plane += 1) {
          const v128_t was = four_floats(targets[plane] + start + at), own = four_floats(sources[plane] + start + at);
          const v128_t hue = wasm_f32x4_mul(four_of(&hues[plane], at, since), under), own_hue = wasm_f32x4_mul(four_of(&own_hues[plane], at, since), lit);
          changed[plane][part] = whole(wasm_f32x4_add(was, change_of(was, own, hue, own_hue, trust, details[plane], share)));
        }
      }
      UNROLL for (i32 plane = 0; plane < 2; plane += 1) store_eight(targets[plane] + start + x, wasm_i16x8_narrow_i32x4(changed[plane][0], changed[plane][1]), to - x);
    }
  }
}
