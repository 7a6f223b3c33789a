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
 * Adds `weight` / 256 of an occlusion map of `side`² pixels to `cover`, where the mask is not zero; see occlusion-map.ts.
 * a to f: from the frame's pixels to the map's. `left` and `top`: of the mask, in its pixels, each two of the frame's wide.
 */
EXPORT("add_cover") void add_cover(const u8 *map, i32 side, i32 weight, double a, double b, double c, double d, double e, double f, i32 left, i32 top,
               i32 width, i32 height, const u8 *mask, u8 *cover) {
  const i32 last = (side - 1) * 65536 - 1, step_u = parts(a * 2), step_v = parts(d * 2);
  for (i32 row = 0; row < height; row += 1, mask += width, cover += width) {
    const double x = (left + 0.5) * 2, y = (top + row + 0.5) * 2;
    i32 u = parts(a * x + b * y + c - 0.5), v = parts(d * x + e * y + f - 0.5);
    for (i32 column = 0; column < width; column += 1, u += step_u, v += step_v) {
      if (mask[column] == 0) continue;
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

/* Means of four values over windows of radius `r`, in place; what lies beyond the border doesn't count. */
static inline void window_means(v128_t *values, v128_t *rows, i32 width, i32 height, i32 r) {
  static v128_t sums[MOST / 2];
  for (i32 row = 0; row < height; row += 1) {
    const v128_t *from = values + row * width;
    v128_t sum = wasm_f32x4_const_splat(0);
    for (i32 x = 0; x < least(width, r); x += 1) sum = wasm_f32x4_add(sum, from[x]);
    for (i32 x = 0; x < width; x += 1) {
      if (x + r < width) sum = wasm_f32x4_add(sum, from[x + r]);
      if (x - r - 1 >= 0) sum = wasm_f32x4_sub(sum, from[x - r - 1]);
      rows[row * width + x] = times(sum, 1.0f / (least(width - 1, x + r) - most(0, x - r) + 1));
    }
  }
  for (i32 x = 0; x < width; x += 1) sums[x] = wasm_f32x4_const_splat(0);
  for (i32 row = -r; row < height; row += 1) {
    const v128_t *enters = rows + (row + r) * width, *leaves = rows + (row - r - 1) * width;
    const float share = 1.0f / (least(height - 1, row + r) - most(0, row - r) + 1);
    for (i32 x = 0; x < width; x += 1) {
      if (row + r < height) sums[x] = wasm_f32x4_add(sums[x], enters[x]);
      if (row - r - 1 >= 0) sums[x] = wasm_f32x4_sub(sums[x], leaves[x]);
      if (row >= 0) values[row * width + x] = times(sums[x], share);
    }
  }
}

/* True if a row of the mask is covered somewhere. */
static inline i32 is_covered(const u8 *cover, const u8 *mask, i32 width) {
  for (i32 x = 0; x < width; x += 1) if (cover[x] != 0 && mask[x] != 0) return 1;
  return 0;
}

/* Mean luma of the four pixels at one of the mask's, about the middle of its range. */
static inline float light_at(const u8 *luma, i32 width, i32 x, i32 row) {
  const u8 *four = luma + row * width * 4 + x * 2;
  return (four[0] + four[1] + four[width * 2] + four[width * 2 + 1]) * 0.25f - 128;
}

/*
 * Lets the edges of the cover follow those of the picture, in place, where the mask is not zero: a guided filter, which explains the
 * cover of each window by its luma, at half of the mask's size (He and Sun, "Fast Guided Filter", 2015). `r`: radius of the windows at
 * that size. `noise`: variance of luma that explains nothing. `values` and `rows`: room for four floats for each of its pixels.
 */
EXPORT("guide_cover") void guide_cover(u8 *cover, const u8 *mask, const u8 *luma, i32 width, i32 height, v128_t *values, v128_t *rows, i32 r, float noise) {
  /* What is further from covered rows than two windows stays as it is. */
  i32 top = 0, bottom = height;
  while (top < bottom && !is_covered(cover + top * width, mask + top * width, width)) top += 1;
  while (bottom > top && !is_covered(cover + (bottom - 1) * width, mask + (bottom - 1) * width, width)) bottom -= 1;
  if (top == bottom) return;
  top = most(0, top - 4 * r) & ~1;
  height = least(height, bottom + 4 * r) - top;
  cover += top * width;
  mask += top * width;
  luma += top * width * 4;
  const i32 half = (width + 1) / 2, low = (height + 1) / 2;
  for (i32 row = 0; row < low; row += 1) {
    for (i32 x = 0; x < half; x += 1) {
      v128_t sum = wasm_f32x4_const_splat(0);
      for (i32 part = 0; part < 4; part += 1) {
        const i32 column = least(width - 1, 2 * x + (part & 1)), line = least(height - 1, 2 * row + (part >> 1));
        const float light = light_at(luma, width, column, line), own = cover[line * width + column];
        sum = wasm_f32x4_add(sum, wasm_f32x4_make(light, own, light * light, light * own));
      }
      values[row * half + x] = times(sum, 0.25f);
    }
  }
  window_means(values, rows, half, low, r);
  for (i32 at = 0; at < half * low; at += 1) {
    const float light = wasm_f32x4_extract_lane(values[at], 0), own = wasm_f32x4_extract_lane(values[at], 1);
    const float slope = (wasm_f32x4_extract_lane(values[at], 3) - light * own) / (wasm_f32x4_extract_lane(values[at], 2) - light * light + noise);
    values[at] = wasm_f32x4_make(slope, own - slope * light, 0, 0);
  }
  window_means(values, rows, half, low, r);
  for (i32 row = 0; row < height; row += 1) {
    for (i32 x = 0; x < width; x += 1) {
      if (mask[row * width + x] == 0) continue;
      const v128_t line = values[(row >> 1) * half + (x >> 1)];
      const float straight = wasm_f32x4_extract_lane(line, 0) * light_at(luma, width, x, row) + wasm_f32x4_extract_lane(line, 1);
      const float value = straight * (1 + 2 * ENDS) - 255 * ENDS;
      cover[row * width + x] = (u8)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f);
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
