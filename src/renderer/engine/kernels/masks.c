/* Blurs bytes, and works on masks: fades them, and takes away where hair or something else is in front. */
#include "common.h"

/* Rounded means of `2 * r + 1` values from eight of their sums. */
static inline v128_t means_of_box(v128_t sums, i32 r) {
  const v128_t scale = wasm_i16x8_splat((short)((65536 + r) / (2 * r + 1))), half = wasm_i32x4_const_splat(32768);
  const v128_t low = wasm_i32x4_add(wasm_u32x4_extmul_low_u16x8(sums, scale), half);
  const v128_t high = wasm_i32x4_add(wasm_u32x4_extmul_high_u16x8(sums, scale), half);
  return wasm_i16x8_shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
}

/* One box of radius `r`, 1 to 128, along rows; what lies beyond the border is zero. */
static void box_rows(const u8 *restrict from, u8 *restrict to, i32 width, i32 height, i32 r) {
  static u8 line[MOST + 264];
  for (i32 x = 0; x < r; x += 1) line[x] = line[width + r + x] = 0;
  for (i32 row = 0; row < height; row += 1, from += width, to += width) {
    __builtin_memcpy(line + r, from, width);
    for (i32 x = 0; x < width; x += 8) {
      v128_t sums = wasm_u16x8_load8x8(line + x);
      for (i32 tap = 1; tap <= 2 * r; tap += 1) sums = wasm_i16x8_add(sums, wasm_u16x8_load8x8(line + x + tap));
      store_eight(to + x, means_of_box(sums, r), width - x);
    }
  }
}

static void box_columns(const u8 *restrict from, u8 *restrict to, i32 width, i32 height, i32 r) {
  static u16 sums[MOST + 8];
  static u8 zeros[MOST + 8];
  for (i32 x = 0; x < width; x += 1) sums[x] = 0;
  for (i32 row = -r; row < height; row += 1) {
    const u8 *enters = row + r < height ? from + (row + r) * width : zeros;
    const u8 *leaves = row - r > 0 ? from + (row - r - 1) * width : zeros;
    for (i32 x = 0; x < width; x += 8) {
      const v128_t more = wasm_i16x8_add(wasm_v128_load(sums + x), wasm_u16x8_load8x8(enters + x));
      const v128_t sum = wasm_i16x8_sub(more, wasm_u16x8_load8x8(leaves + x));
      wasm_v128_store(sums + x, sum);
      if (row >= 0) store_eight(to + row * width + x, means_of_box(sum, r), width - x);
    }
  }
}

/* A box blur of radius `r`, twice, in place. */
EXPORT("blur") void blur(u8 *data, u8 *scratch, i32 width, i32 height, i32 r) {
  for (i32 pass = 0; pass < 2; pass += 1) {
    box_rows(data, scratch, width, height, r);
    box_columns(scratch, data, width, height, r);
  }
}

/* See halveWeights. `width` and `height` of the mask. */
EXPORT("halve_weights") void halve_weights(const u8 *weight, u8 *restrict mask, i32 width, i32 height) {
  for (i32 row = 0; row < height; row += 1, weight += 4 * width, mask += width) {
    for (i32 x = 0; x < width; x += 8) {
      const v128_t upper = wasm_v128_load(weight + 2 * x), lower = wasm_v128_load(weight + 2 * width + 2 * x);
      const v128_t sums = wasm_i16x8_add(wasm_u16x8_extadd_pairwise_u8x16(upper), wasm_u16x8_extadd_pairwise_u8x16(lower));
      const v128_t halved = (wasm_u16x8_shr(sums, 2) & wasm_i16x8_const_splat(252)) | (upper & wasm_i16x8_const_splat(3));
      store_eight(mask + x, halved, width - x);
    }
  }
}

/*
 * Adds `weight` / 256 of an occlusion map of `side`² pixels to `cover`; see occlusion-map.ts.
 * a to f: from the frame's pixels to the map's. `left` and `top`: of the cover, in its pixels, each two of the frame's wide.
 */
EXPORT("add_cover") void add_cover(const u8 *map, i32 side, i32 weight, double a, double b, double c, double d, double e, double f, i32 left, i32 top,
               i32 width, i32 height, u8 *cover) {
  const i32 last = (side - 1) * 65536 - 1, step_u = parts(a * 2), step_v = parts(d * 2);
  for (i32 row = 0; row < height; row += 1, cover += width) {
    const double x = (left + 0.5) * 2, y = (top + row + 0.5) * 2;
    i32 u = parts(a * x + b * y + c - 0.5), v = parts(d * x + e * y + f - 0.5);
    for (i32 column = 0; column < width; column += 1, u += step_u, v += step_v) {
      const i32 in_u = most(0, least(last, u)), in_v = most(0, least(last, v));
      const u8 *at = map + (in_v >> 16) * side + (in_u >> 16);
      const i32 p = at[0], q = at[1], r = at[side], s = at[side + 1];
      if ((p | q | r | s) == 0) continue;
      const i32 across = (in_u >> 8) & 255, down = (in_v >> 8) & 255;
      const i32 upper = (p << 8) + (q - p) * across, lower = (r << 8) + (s - r) * across;
      cover[column] += (u8)(((((upper << 8) + (lower - upper) * down) >> 16) * weight) >> 8);
    }
  }
}

/* A guided filter hardly reaches nothing and all. This share of the cover counts as them. */
#define ENDS 0.04f

/* Mean luma of the four pixels at one of the mask's. */
static inline float light_at(const u8 *luma, i32 width, i32 x, i32 row) {
  const u8 *four = luma + row * width * 4 + x * 2;
  return (four[0] + four[1] + four[width * 2] + four[width * 2 + 1]) * 0.25f;
}

/*
 * Lets the edges of the cover follow those of the picture, in place: a guided filter (He, Sun and Tang, "Guided Image Filtering",
 * 2010), which explains the cover of each window of radius `r` by its luma. `fields`: room for six of the mask's size. `noise`:
 * variance of luma that explains nothing.
 */
EXPORT("guide_cover") void guide_cover(u8 *cover, const u8 *luma, i32 width, i32 height, float *fields, i32 r, float noise) {
  const i32 count = width * height;
  float *within = fields, *light = within + count, *covered = light + count, *squares = covered + count, *products = squares + count;
  float *scratch = products + count, *slopes = light, *offsets = covered;
  for (i32 row = 0, at = 0; row < height; row += 1) {
    for (i32 x = 0; x < width; x += 1, at += 1) {
      within[at] = 1;
      light[at] = light_at(luma, width, x, row);
      covered[at] = cover[at];
      squares[at] = light[at] * light[at];
      products[at] = light[at] * covered[at];
    }
  }
  /* Less than 1 near the border, beyond which all are zero. */
  for (i32 n = 0; n < 5; n += 1) box_field(fields + n * count, scratch, width, height, r);
  for (i32 at = 0; at < count; at += 1) {
    const float part = 1 / within[at], mean = light[at] * part, usual = covered[at] * part;
    const float slope = (products[at] * part - mean * usual) / (squares[at] * part - mean * mean + noise);
    slopes[at] = slope;
    offsets[at] = usual - slope * mean;
  }
  box_field(slopes, scratch, width, height, r);
  box_field(offsets, scratch, width, height, r);
  for (i32 row = 0, at = 0; row < height; row += 1) {
    for (i32 x = 0; x < width; x += 1, at += 1) {
      const float value = (slopes[at] * light_at(luma, width, x, row) + offsets[at]) / within[at] * (1 + 2 * ENDS) - 255 * ENDS;
      cover[at] = (u8)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f);
    }
  }
}

/* Removes the mask where it is covered, in place. Where it is covered by more than `silent`, `flag` is removed too. */
EXPORT("keep_cover") void keep_cover(const u8 *cover, u8 *mask, i32 count, i32 silent, i32 flag) {
  for (i32 x = 0; x < count; x += 1) {
    if ((x & 15) == 0) while (x + 16 < count && !wasm_v128_any_true(wasm_v128_load(cover + x))) x += 16;
    const i32 covered = cover[x], was = mask[x];
    if (covered == 0 || was == 0) continue;
    const i32 kept = (((was & 252) * (255 - covered)) >> 8) & 252;
    mask[x] = (u8)(kept < 4 ? 0 : kept | (covered > silent ? was & 3 & ~flag : was & 3));
  }
}

/*
 * Weakens the mask near the hairline where the frame's luma is further than `from` from the skin's, relative to that; at `to` it is
 * gone. Where it is lighter, half of that counts, as skin shines. `skin` and `near`, which is 1 near the hairline: over a grid with
 * cells of `cell` mask pixels.
 */
EXPORT("keep_hair") void keep_hair(u8 *mask, const u8 *luma, i32 width, i32 height, const float *skin, const float *near, i32 columns, i32 rows, i32 cell, float from, float to) {
  static Band skins, shares;
  const Grid grid = {columns, rows, cell, width};
  for (i32 row = 0; row < height; row += 1, mask += width, luma += width * 4) {
    const i32 since = row_of_band(grid, row);
    if (since == 0) {
      read_band(skin, grid, row, &skins);
      read_band(near, grid, row, &shares);
    }
    for (i32 x = 0; x < width; x += 1) {
      const float share = shares.first[x] + shares.step[x] * since;
      if (mask[x] == 0 || share <= 0) continue;
      const u8 *four = luma + x * 2;
      const i32 mean = (four[0] + four[1] + four[width * 2] + four[width * 2 + 1] + 2) >> 2;
      const float skin_here = skins.first[x] + skins.step[x] * since, expected = skin_here < 24 ? 24 : skin_here;
      const float off = (mean > expected ? (mean - expected) / 2 : expected - mean) / expected;
      if (off <= from) continue;
      const float in = off >= to ? 1 : (off - from) / (to - from);
      mask[x] = (u8)most(4, (i32)(mask[x] * (1 - share * in * in * (3 - 2 * in))));
    }
  }
}

/*
 * Blurs the mask as `blur` does, but leaves what is zero, and fades it to nothing where `outline` becomes zero: blurred alone, a
 * steep mask would end there with a step of half its weight. `edges` and `scratch` are of its size.
 */
EXPORT("blur_inside") void blur_inside(u8 *mask, u8 *outline, u8 *edges, u8 *scratch, i32 width, i32 height, i32 r) {
  for (i32 x = 0; x < width * height; x += 1) {
    edges[x] = mask[x] == 0 ? 0 : 255;
    outline[x] = outline[x] == 0 ? 0 : 255;
  }
  blur(mask, scratch, width, height, r);
  blur(outline, scratch, width, height, r);
  for (i32 x = 0; x < width * height; x += 1) {
    /* Over 255, rounded. */
    const i32 product = mask[x] * most(0, 2 * outline[x] - 255) + 128;
    mask[x] = (u8)((product + (product >> 8)) >> 8) & edges[x];
  }
}
