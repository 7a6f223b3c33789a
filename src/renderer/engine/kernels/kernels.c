/*
 * What painting does to every pixel, as WebAssembly with SIMD. `node scripts/kernels.mjs` compiles it.
 * Every machine paints the same: whole numbers, or floats, which WebAssembly rounds alike everywhere.
 * Nothing is kept between calls.
 */
#include <wasm_simd128.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef short i16;
typedef int i32;

#define EXPORT(name) __attribute__((export_name(name)))
/* The compiler doesn't otherwise, and would keep vectors in memory. */
#define UNROLL _Pragma("clang loop unroll(full)")
/* Pixels of a row, and cells of a grid's row, at most. */
#define MOST 10240

static inline i32 least(i32 a, i32 b) { return a < b ? a : b; }
static inline i32 most(i32 a, i32 b) { return a > b ? a : b; }
static inline i32 ceiled(double value) { return (i32)__builtin_ceil(value); }
static inline i32 parts(double value) { return (i32)__builtin_floor(value * 65536 + 0.5); }

static inline v128_t times(v128_t a, float b) { return wasm_f32x4_mul(a, wasm_f32x4_splat(b)); }
static inline v128_t bound(v128_t value, float from, float to) {
  return wasm_f32x4_pmin(wasm_f32x4_splat(to), wasm_f32x4_pmax(wasm_f32x4_splat(from), value));
}
/* Eight lanes of 16 bits, as floats: the first four, or the last four. */
static inline v128_t low_floats(v128_t eight) { return wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(eight)); }
static inline v128_t high_floats(v128_t eight) { return wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(eight)); }
/* Four bytes as floats. */
static inline v128_t four_floats(const u8 *from) {
  return wasm_f32x4_convert_i32x4(wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from))));
}
/* Floats within +-2^21 to whole numbers, halves to even: a float that large has no fraction. */
static inline v128_t whole(v128_t value) { return wasm_i32x4_sub(wasm_f32x4_add(value, wasm_f32x4_const_splat(12582912)), wasm_i32x4_const_splat(0x4B400000)); }

/* Stores the first `count` of eight lanes as bytes. */
static inline void store_eight(u8 *out, v128_t lanes, i32 count) {
  const v128_t bytes = wasm_u8x16_narrow_i16x8(lanes, lanes);
  if (count >= 8) {
    wasm_v128_store64_lane(out, bytes, 0);
    return;
  }
  u8 all[16];
  wasm_v128_store(all, bytes);
  for (i32 x = 0; x < count; x += 1) out[x] = all[x];
}

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

/*
 * Fields over a grid of cells of `cell` pixels, read by straight lines between the cells' centres. Between two rows of centres,
 * each pixel's value changes by the same step from row to row. So both are written once for such a band of rows. Up to the
 * first centre a field is flat.
 */
typedef struct { float first[MOST + 8], step[MOST + 8]; } Band;
/* Size of the grid and its cells, and of the picture's rows. */
typedef struct { i32 columns, rows, cell, width; } Grid;

/* How many rows after its band's first one a row lies. */
static inline i32 row_of_band(Grid grid, i32 row) {
  const i32 flat = grid.cell / 2;
  return row < flat ? row : (row - flat) % grid.cell;
}

/* Values of a row of cells, by pixel. */
static void read_cells(const float *cells, Grid grid, float *restrict out) {
  const i32 flat = grid.cell / 2;
  const v128_t in = times(wasm_f32x4_add(wasm_f32x4_const(0, 1, 2, 3), wasm_f32x4_splat(flat + 0.5f - 0.5f * grid.cell)), 1.0f / grid.cell);
  for (i32 x = 0; x < flat; x += 1) out[x] = cells[0];
  for (i32 at = 0, x = flat; x < grid.width; at += 1) {
    const float value = cells[least(at, grid.columns - 1)], more = cells[least(at + 1, grid.columns - 1)] - value;
    const i32 stop = least(grid.width, x + grid.cell);
    v128_t values = wasm_f32x4_add(wasm_f32x4_splat(value), times(in, more));
    const v128_t by = wasm_f32x4_splat(more * 4 / grid.cell);
    for (; x < stop; x += 4, values = wasm_f32x4_add(values, by)) wasm_v128_store(out + x, values);
    x = stop;
  }
}

/* Reads the band that begins at a row. */
static void read_band(const float *field, Grid grid, i32 row, Band *out) {
  static float first[MOST], step[MOST];
  const i32 flat = grid.cell / 2, upper = row < flat ? 0 : least(grid.rows - 1, (row - flat) / grid.cell);
  const i32 lower = row < flat ? 0 : least(grid.rows - 1, upper + 1);
  const float *a = field + upper * grid.columns, *b = field + lower * grid.columns;
  const float down = (flat + 0.5f) / grid.cell - 0.5f;
  for (i32 x = 0; x < grid.columns; x += 1) {
    first[x] = a[x] + (b[x] - a[x]) * down;
    step[x] = (b[x] - a[x]) / grid.cell;
  }
  read_cells(first, grid, out->first);
  read_cells(step, grid, out->step);
}

/* Four values of a row of a band; `since`: how many rows after its first one. */
static inline v128_t four_of(const Band *band, i32 x, v128_t since) {
  return wasm_f32x4_add(wasm_v128_load(band->first + x), wasm_f32x4_mul(wasm_v128_load(band->step + x), since));
}

/* Where the mask is not zero in either of two rows: from the first such pixel to behind the last one. */
static inline i32 first_drawn(const u8 *a, const u8 *b, i32 width) {
  i32 x = 0;
  while (x + 16 <= width && !wasm_v128_any_true(wasm_v128_load(a + x) | wasm_v128_load(b + x))) x += 16;
  while (x < width && (a[x] | b[x]) == 0) x += 1;
  return x;
}
static inline i32 end_drawn(const u8 *a, const u8 *b, i32 width) {
  while (width >= 16 && !wasm_v128_any_true(wasm_v128_load(a + width - 16) | wasm_v128_load(b + width - 16))) width -= 16;
  while (width > 0 && (a[width - 1] | b[width - 1]) == 0) width -= 1;
  return width;
}

/*
 * A part of one row of the mask at full size, parts of 4096, from two of its own rows; `near` counts three times. `from` and
 * `to` are counted in the mask's pixels. Up to 16 more values are written.
 */
static void read_shares(const u8 *near, const u8 *far, i32 half, i32 from, i32 to, i32 scale, i16 *restrict out) {
  static i16 line[MOST + 32];
  const v128_t three = wasm_i16x8_const_splat(3), by = wasm_i16x8_splat((short)scale);
  for (i32 x = most(0, from - 1); x < least(half, to + 1); x += 8)
    wasm_v128_store(line + x + 1, wasm_i16x8_add(wasm_i16x8_mul(wasm_u16x8_load8x8(near + x), three), wasm_u16x8_load8x8(far + x)));
  if (from == 0) line[0] = line[1];
  if (to == half) line[half + 1] = line[half];
  for (i32 x = from; x < to; x += 8) {
    const v128_t own = wasm_i16x8_mul(wasm_v128_load(line + x + 1), three);
    /* Up to 16 * 255, times 8 for the product of parts of 32768. */
    const v128_t left = wasm_i16x8_q15mulr_sat(wasm_i16x8_shl(wasm_i16x8_add(own, wasm_v128_load(line + x)), 3), by);
    const v128_t right = wasm_i16x8_q15mulr_sat(wasm_i16x8_shl(wasm_i16x8_add(own, wasm_v128_load(line + x + 2)), 3), by);
    wasm_v128_store(out + 2 * x, wasm_i16x8_shuffle(left, right, 0, 8, 1, 9, 2, 10, 3, 11));
    wasm_v128_store(out + 2 * x + 8, wasm_i16x8_shuffle(left, right, 4, 12, 5, 13, 6, 14, 7, 15));
  }
}

/* Pixels of a row of luma from the first one that the mask reaches to behind the last one. */
typedef struct { i32 from, to; } Range;

/* Reads the mask for one row of luma, see read_shares. `width` and `height` of the luma. */
static inline Range shares_of_row(const u8 *mask, i32 width, i32 height, i32 row, i32 scale, i16 *restrict out) {
  const i32 half = width / 2, far = least(height / 2 - 1, most(0, row / 2 + (row & 1 ? 1 : -1)));
  const u8 *own = mask + row / 2 * half, *next = mask + far * half;
  /* The mask is read with a neighbour on either side. */
  const i32 from = most(0, first_drawn(own, next, half) - 1), to = least(half, end_drawn(own, next, half) + 1);
  if (from < to) read_shares(own, next, half, from, to, scale, out);
  const Range range = {from * 2, to * 2};
  return range;
}

/* Eight lanes of `was + (value - was) * share`; shares are parts of 4096. */
static inline v128_t mixed(v128_t was, v128_t value, v128_t share) {
  return wasm_i16x8_add(was, wasm_i16x8_q15mulr_sat(wasm_i16x8_shl(wasm_i16x8_sub(value, was), 3), share));
}

/* to += (from - to) * share, in place; the share in parts of 4096. */
EXPORT("mix_bytes") void mix_bytes(const u8 *from, u8 *to, i32 count, i32 share) {
  const v128_t by = wasm_i16x8_splat((short)share);
  for (i32 at = 0; at < count; at += 8)
    store_eight(to + at, mixed(wasm_u16x8_load8x8(to + at), wasm_u16x8_load8x8(from + at), by), count - at);
}

/*
 * target += (source * gain + offset - below * below * curve - target) * share, in place; `below`: how far the source is
 * below `mean`. Fields over a grid whose cells are counted at half size. `scale`: what takes 16 * 255 to 4096 * 4096.
 */
EXPORT("blend_luma") void blend_luma(const u8 *restrict source, u8 *restrict target, const u8 *mask, i32 width, i32 height, const float *gain,
                const float *offset, const float *mean, const float *curve, i32 columns, i32 rows, i32 cell, i32 scale) {
  static Band gains, offsets, means, curves;
  static i16 shares[MOST + 16];
  const Grid grid = {columns, rows, cell * 2, width};
  for (i32 row = 0; row < height; row += 1, source += width, target += width) {
    const v128_t since = wasm_f32x4_splat(row_of_band(grid, row));
    if (row_of_band(grid, row) == 0) {
      read_band(gain, grid, row, &gains);
      read_band(offset, grid, row, &offsets);
      read_band(mean, grid, row, &means);
      read_band(curve, grid, row, &curves);
    }
    const Range drawn = shares_of_row(mask, width, height, row, scale, shares);
    for (i32 x = drawn.from; x < drawn.to; x += 8) {
      const v128_t was = wasm_u16x8_load8x8(target + x), own = wasm_u16x8_load8x8(source + x);
      v128_t corrected[2];
      UNROLL for (i32 part = 0; part < 2; part += 1) {
        const i32 at = x + part * 4;
        const v128_t value = part ? high_floats(own) : low_floats(own);
        const v128_t below = wasm_f32x4_pmax(wasm_f32x4_const_splat(0), wasm_f32x4_sub(four_of(&means, at, since), value));
        const v128_t lifted = wasm_f32x4_mul(wasm_f32x4_mul(below, below), four_of(&curves, at, since));
        const v128_t straight = wasm_f32x4_add(wasm_f32x4_mul(value, four_of(&gains, at, since)), four_of(&offsets, at, since));
        corrected[part] = whole(wasm_f32x4_sub(straight, lifted));
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

/* Rounded means of eight blocks of 2 x 2 pixels, in lanes of 16 bits. */
static inline v128_t means_of_four(const u8 *upper, i32 width) {
  const v128_t sums = wasm_i16x8_add(wasm_u16x8_extadd_pairwise_u8x16(wasm_v128_load(upper)),
                                     wasm_u16x8_extadd_pairwise_u8x16(wasm_v128_load(upper + width)));
  return wasm_u16x8_shr(wasm_i16x8_add(sums, wasm_i16x8_const_splat(2)), 2);
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

typedef struct { const u8 *data; u8 *out; } Plane;
typedef struct { double x, y, u, v, w; } Corner;

/* Stores the lowest byte of each of the first `count` of four lanes side by side. Reads and writes four bytes in any case. */
static inline void store_bytes(u8 *out, v128_t words, i32 count) {
  v128_t bytes = wasm_i8x16_shuffle(words, words, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
  if (count < 4) {
    const v128_t drawn = wasm_i8x16_lt(wasm_i8x16_const(0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), wasm_i8x16_splat(count));
    bytes = wasm_v128_bitselect(bytes, wasm_v128_load32_zero(out), drawn);
  }
  wasm_v128_store32_lane(out, bytes, 0);
}

/* One texel of four: the two in its row and the two below, as the pair `n` of `upper` and `lower`. */
#define LOAD_TEXEL(n)                                                      \
  {                                                                        \
    const u8 *at = texture + wasm_i32x4_extract_lane(texels, n);           \
    upper = wasm_v128_load16_lane(at, upper, n);                           \
    lower = wasm_v128_load16_lane(at + stride, lower, n);                  \
  }

/* Where each of four pixels lies between texels: the shares of 256 of both rows, and of the left and the right one. */
typedef struct { v128_t upper, lower, sides; } Shares;

static inline Shares shares_of(v128_t across, v128_t down) {
  const v128_t whole = wasm_i16x8_const_splat(256), lower = down | wasm_i32x4_shl(down, 16);
  const Shares shares = {wasm_i16x8_sub(whole, lower), lower, wasm_i32x4_sub(wasm_i32x4_const_splat(256), across) | wasm_i32x4_shl(across, 16)};
  return shares;
}

/* Four texels, between their neighbours by straight lines: first down, then across, without rounding in between. */
static inline v128_t read_texels(const u8 *texture, i32 stride, v128_t texels, Shares shares) {
  v128_t upper = wasm_i32x4_const_splat(0), lower = upper;
  LOAD_TEXEL(0) LOAD_TEXEL(1) LOAD_TEXEL(2) LOAD_TEXEL(3)
  /* Up to 255 * 256, so they need all 16 bits. */
  const v128_t pairs = wasm_i16x8_add(wasm_i16x8_mul(wasm_u16x8_extend_low_u8x16(upper), shares.upper),
                                      wasm_i16x8_mul(wasm_u16x8_extend_low_u8x16(lower), shares.lower));
  /* The dot product takes signed numbers: half of the range is subtracted before and added after it. */
  const v128_t sums = wasm_i32x4_dot_i16x8(pairs ^ wasm_i16x8_const_splat(-32768), shares.sides);
  return wasm_u32x4_shr(sums + wasm_i32x4_const_splat(32768 * 256 + 32768), 16);
}

/* How a value changes along a row: from the first pixel to each of four, and by four. 16 bits of fraction. */
typedef struct { v128_t first, by; } Steps;

static inline Steps steps_of(double per_pixel) {
  const i32 step = parts(per_pixel);
  const Steps steps = {wasm_i32x4_make(0, step, 2 * step, 3 * step), wasm_i32x4_splat(4 * step)};
  return steps;
}

/* Where to draw from, one texture or two of the same size, and to; `weight` may be null. */
typedef struct { Plane first, second; u8 *weight; i32 stride, last_texel, flag; } Drawing;

/* Draws the first `count` of four pixels: `us` and `vs` are texture coordinates, `ws` weights. */
static inline __attribute__((always_inline)) void draw_four(const Drawing *to, i32 at, i32 count, v128_t us, v128_t vs, v128_t ws) {
  const v128_t low = wasm_i32x4_const_splat(255);
  v128_t texels = wasm_i32x4_mul(wasm_i32x4_shr(vs, 16), wasm_i32x4_splat(to->stride)) + wasm_i32x4_shr(us, 16);
  /* Those after the last pixel may lie outside of the texture. */
  if (count < 4) texels = wasm_i32x4_max(wasm_i32x4_const_splat(0), wasm_i32x4_min(wasm_i32x4_splat(to->last_texel), texels));
  const Shares shares = shares_of(wasm_i32x4_shr(us, 8) & low, wasm_i32x4_shr(vs, 8) & low);
  store_bytes(to->first.out + at, read_texels(to->first.data, to->stride, texels, shares), count);
  if (to->second.data) store_bytes(to->second.out + at, read_texels(to->second.data, to->stride, texels, shares), count);
  if (!to->weight) return;
  const v128_t whole = wasm_i32x4_max(wasm_i32x4_const_splat(4), wasm_i32x4_min(wasm_i32x4_const_splat(252), wasm_i32x4_shr(ws, 16)));
  store_bytes(to->weight + at, (whole & wasm_i32x4_const_splat(252)) | wasm_i32x4_splat(to->flag), count);
}

static inline double corner_area(const Corner *a, const Corner *b, const Corner *c) {
  return (b->x - a->x) * (c->y - a->y) - (c->x - a->x) * (b->y - a->y);
}

static inline Corner corner_at(i32 point, const float *to, const float *from, const float *weights, i32 left, i32 top, double most_u, double most_v) {
  /* Kept a pixel inside the texture, so that no pixel in between need be checked. */
  const double u = from[point * 2], v = from[point * 2 + 1];
  const Corner corner = {(double)to[point * 2] - left, (double)to[point * 2 + 1] - top, u < 1 ? 1 : u > most_u ? most_u : u,
                         v < 1 ? 1 : v > most_v ? most_v : v, weights[point]};
  return corner;
}

/* How a value changes per pixel, from its differences along two edges. */
static inline double per_x(double to_b, double to_c, const Corner *a, const Corner *b, const Corner *c, double area) {
  return (to_b * (c->y - a->y) - to_c * (b->y - a->y)) / area;
}
static inline double per_y(double to_b, double to_c, const Corner *a, const Corner *b, const Corner *c, double area) {
  return (to_c * (b->x - a->x) - to_b * (c->x - a->x)) / area;
}

static void draw_triangle(Corner a, Corner b, Corner c, i32 width, i32 height, const Drawing *to) {
  Corner swap;
  /* By height; every shared edge is then walked from the same end, so neighbours meet without gaps. */
  if (b.y < a.y) swap = a, a = b, b = swap;
  if (c.y < a.y) swap = a, a = c, c = swap;
  if (c.y < b.y) swap = b, b = c, c = swap;
  const i32 first_row = most(0, ceiled(a.y - 0.5)), end_row = least(height, ceiled(c.y - 0.5));
  if (first_row >= end_row) return;
  const double area = corner_area(&a, &b, &c);
  const double ux = per_x(b.u - a.u, c.u - a.u, &a, &b, &c, area), uy = per_y(b.u - a.u, c.u - a.u, &a, &b, &c, area);
  const double vx = per_x(b.v - a.v, c.v - a.v, &a, &b, &c, area), vy = per_y(b.v - a.v, c.v - a.v, &a, &b, &c, area);
  const double wx = per_x(b.w - a.w, c.w - a.w, &a, &b, &c, area), wy = per_y(b.w - a.w, c.w - a.w, &a, &b, &c, area);
  const Steps steps_u = steps_of(ux), steps_v = steps_of(vx), steps_w = steps_of(wx);
  const double edge = (c.x - a.x) / (c.y - a.y), upper = (b.x - a.x) / (b.y - a.y), lower = (c.x - b.x) / (c.y - b.y);
  for (i32 row = first_row; row < end_row; row += 1) {
    const double y = row + 0.5, dy = y - a.y;
    const double x1 = a.x + dy * edge, x2 = y < b.y ? a.x + dy * upper : b.x + (y - b.y) * lower;
    const v128_t columns = wasm_i32x4_trunc_sat_f64x2_zero(wasm_f64x2_ceil(wasm_f64x2_sub(wasm_f64x2_make(x1 < x2 ? x1 : x2, x1 < x2 ? x2 : x1), wasm_f64x2_const_splat(0.5))));
    const i32 start = most(0, wasm_i32x4_extract_lane(columns, 0));
    i32 left = least(width, wasm_i32x4_extract_lane(columns, 1)) - start;
    if (left <= 0) continue;
    const double dx = start + 0.5 - a.x;
    const v128_t uv = wasm_f64x2_make(a.u + dx * ux + dy * uy - 0.5, a.v + dx * vx + dy * vy - 0.5);
    const v128_t starts = wasm_i32x4_trunc_sat_f64x2_zero(wasm_f64x2_mul(uv, wasm_f64x2_const_splat(65536)));
    v128_t us = wasm_i32x4_shuffle(starts, starts, 0, 0, 0, 0) + steps_u.first, vs = wasm_i32x4_shuffle(starts, starts, 1, 1, 1, 1) + steps_v.first;
    v128_t ws = wasm_i32x4_splat((i32)((a.w + dx * wx + dy * wy) * 65536)) + steps_w.first;
    i32 at = row * width + start;
    for (; left >= 4; left -= 4, at += 4) {
      draw_four(to, at, 4, us, vs, ws);
      us += steps_u.by;
      vs += steps_v.by;
      ws += steps_w.by;
    }
    if (left > 0) draw_four(to, at, left, us, vs, ws);
  }
}

/* Draws a mesh, see raster.ts; `second` (data and out) and `weight` may be null. */
EXPORT("draw") void draw(const u16 *triangles, i32 count, const float *to, const float *from, const float *weights, const u8 *flags, i32 left, i32 top,
          i32 width, i32 height, i32 texture_width, i32 texture_height, const u8 *data, u8 *out, const u8 *second_data, u8 *second_out, u8 *weight) {
  double facing = 0;
  for (i32 pass = 0; pass < 2; pass += 1)
    for (i32 n = 0; n < count; n += 1) {
      const u16 *of = triangles + n * 3;
      const double most_u = texture_width - 1.5, most_v = texture_height - 1.5;
      const Corner a = corner_at(of[0], to, from, weights, left, top, most_u, most_v);
      const Corner b = corner_at(of[1], to, from, weights, left, top, most_u, most_v);
      const Corner c = corner_at(of[2], to, from, weights, left, top, most_u, most_v);
      const double area = corner_area(&a, &b, &c);
      /* The way most of the mesh faces is its front. */
      if (pass == 0) facing += area;
      else if (__builtin_fabs(area) >= 1e-4 && area * (facing < 0 ? -1 : 1) > 0) {
        const Drawing to = {{data, out}, {second_data, second_out}, weight, texture_width, texture_width * (texture_height - 1) - 2, flags[n]};
        draw_triangle(a, b, c, width, height, &to);
      }
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

/* One box of radius `r` along a line of floats; what lies beyond the ends is zero. */
static void box_line(const float *from, float *to, i32 count, i32 r) {
  const float share = 1.0f / (2 * r + 1);
  float sum = 0;
  for (i32 x = 0; x < least(r, count); x += 1) sum += from[x];
  for (i32 x = 0; x < count; x += 1) {
    if (x + r < count) sum += from[x + r];
    if (x - r - 1 >= 0) sum -= from[x - r - 1];
    to[x] = sum * share;
  }
}

static void box_lines_down(const float *from, float *to, i32 width, i32 height, i32 r) {
  static float sums[MOST];
  const float share = 1.0f / (2 * r + 1);
  for (i32 x = 0; x < width; x += 1) sums[x] = 0;
  for (i32 row = 0; row < least(r, height); row += 1)
    for (i32 x = 0; x < width; x += 1) sums[x] += from[row * width + x];
  for (i32 row = 0; row < height; row += 1) {
    if (row + r < height) for (i32 x = 0; x < width; x += 1) sums[x] += from[(row + r) * width + x];
    if (row - r - 1 >= 0) for (i32 x = 0; x < width; x += 1) sums[x] -= from[(row - r - 1) * width + x];
    for (i32 x = 0; x < width; x += 1) to[row * width + x] = sums[x] * share;
  }
}

/* A box blur of radius `r`, three times, in place. */
static void blur_field(float *field, float *scratch, i32 width, i32 height, i32 r) {
  for (i32 pass = 0; pass < 3; pass += 1) {
    for (i32 row = 0; row < height; row += 1) box_line(field + row * width, scratch + row * width, width, r);
    box_lines_down(scratch, field, width, height, r);
  }
}

/*
 * Blurs fields that lie one after the other, in place: between radius `r` and the next larger one, of which `wider` counts.
 * `scratch` has room for two fields.
 */
EXPORT("blur_fields") void blur_fields(float *fields, float *scratch, i32 width, i32 height, i32 count, i32 r, float wider) {
  float *narrow = scratch + width * height;
  for (i32 n = 0; n < count; n += 1, fields += width * height) {
    __builtin_memcpy(narrow, fields, width * height * 4);
    blur_field(narrow, scratch, width, height, r);
    blur_field(fields, scratch, width, height, r + 1);
    for (i32 x = 0; x < width * height; x += 1) fields[x] = narrow[x] + (fields[x] - narrow[x]) * wider;
  }
}

/* Adds what stands in one column of a row of cells to the cells. */
static void add_cells(u16 *restrict sums, i32 width, i32 cell, float *restrict cells) {
  for (i32 at = 0, x = 0; x < width; at += 1) {
    const i32 end = least(width, x + cell);
    i32 sum = 0;
    for (; x < end; x += 1) {
      sum += sums[x];
      sums[x] = 0;
    }
    cells[at] += sum;
  }
}

/*
 * Sums over a grid's cells where the mask has `flag`: of how many pixels, of the mean luma of their four, drawn
 * and in the frame, and of both chroma planes. All planes are of the crop: luma twice as wide and high as the mask.
 * `out`: count, drawn y, frame y, drawn u, frame u, drawn v, frame v, each `cells` long, zero.
 */
EXPORT("sum_lit") void sum_lit(const u8 *mask, const u8 *drawn_y, const u8 *frame_y, const u8 *drawn_u, const u8 *frame_u, const u8 *drawn_v,
             const u8 *frame_v, i32 width, i32 height, i32 cell, i32 columns, i32 cells, i32 flag, float *out) {
  /* Sums of a row of cells. A cell has less than 256 rows. */
  static u16 sums[7][MOST + 8];
  const u8 *luma[2] = {drawn_y, frame_y};
  const u8 *chroma[4] = {drawn_u, frame_u, drawn_v, frame_v};
  for (i32 plane = 0; plane < 7; plane += 1) for (i32 x = 0; x < width; x += 1) sums[plane][x] = 0;
  i32 any = 0;
  for (i32 row = 0; row < height; row += 1) {
    for (i32 x = 0; x < width; x += 8) {
      const v128_t flags = wasm_u16x8_load8x8(mask + row * width + x) & wasm_i16x8_splat((short)flag);
      if (!wasm_v128_any_true(flags)) continue;
      any = 1;
      const v128_t lit = wasm_i16x8_ne(flags, wasm_i16x8_const_splat(0));
      v128_t values[7] = {wasm_i16x8_neg(lit)};
      for (i32 plane = 0; plane < 2; plane += 1) values[1 + plane] = means_of_four(luma[plane] + row * width * 4 + 2 * x, width * 2) & lit;
      for (i32 plane = 0; plane < 4; plane += 1) values[3 + plane] = wasm_u16x8_load8x8(chroma[plane] + row * width + x) & lit;
      for (i32 plane = 0; plane < 7; plane += 1) {
        u16 *sum = sums[plane] + x;
        wasm_v128_store(sum, wasm_i16x8_add(wasm_v128_load(sum), values[plane]));
      }
    }
    if (!any || (row % cell < cell - 1 && row < height - 1)) continue;
    for (i32 plane = 0; plane < 7; plane += 1) add_cells(sums[plane], width, cell, out + plane * cells + row / cell * columns);
    any = 0;
  }
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
 * Weakens the mask where it has `flag` and the frame's luma is further than `from` from the skin's, relative to that; at
 * `to` it is gone. Where it is lighter, half of that counts, as skin shines. `skin`: over a grid with cells of `cell` mask pixels.
 */
EXPORT("keep_hair") void keep_hair(u8 *mask, const u8 *luma, i32 width, i32 height, const float *skin, i32 columns, i32 cell, i32 flag, double from, double to) {
  for (i32 row = 0; row < height; row += 1)
    for (i32 x = 0; x < width; x += 1) {
      const i32 weight = mask[row * width + x];
      if ((weight & flag) == 0) continue;
      const u8 *four = luma + row * width * 4 + x * 2;
      const i32 mean = (four[0] + four[1] + four[width * 2] + four[width * 2 + 1] + 2) >> 2;
      const double cells = skin[row / cell * columns + x / cell], expected = cells < 24 ? 24 : cells;
      const double off = (mean > expected ? (mean - expected) / 2 : expected - mean) / expected;
      if (off <= from) continue;
      const double share = off >= to ? 1 : (off - from) / (to - from);
      mask[row * width + x] = (u8)most(4, (i32)(weight * (1 - share * share * (3 - 2 * share))));
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

/* Two bytes that lie side by side at each of four places, the first one lowest, and one byte at each. */
#define LOAD_PAIR(n, pairs, from, places) pairs = wasm_v128_load16_lane((from) + wasm_i32x4_extract_lane(places, n), pairs, (n) * 2);
#define LOAD_ONE(n, ones, from, places) ones = wasm_v128_load8_lane((from) + wasm_i32x4_extract_lane(places, n), ones, (n) * 4);
#define EACH(load, ...) load(0, __VA_ARGS__) load(1, __VA_ARGS__) load(2, __VA_ARGS__) load(3, __VA_ARGS__)

/* Between the low and the high byte of each lane. */
static inline v128_t along(v128_t pairs, v128_t share) {
  const v128_t left = wasm_f32x4_convert_i32x4(wasm_v128_and(pairs, wasm_i32x4_const_splat(255)));
  const v128_t right = wasm_f32x4_convert_i32x4(wasm_u32x4_shr(pairs, 8));
  return wasm_f32x4_add(left, wasm_f32x4_mul(wasm_f32x4_sub(right, left), share));
}

/*
 * Samples a square of `side`² pixels (a multiple of four) as interleaved float RGB, see sampling.ts. `map`: from the
 * square's columns and rows to the patch's, a to f. `color`: black, scale, redV, greenU, greenV, blueU. What lies more
 * than a pixel beyond the patch is `range[0]` if `black_outside`, else as its edge.
 */
EXPORT("sample_square") void sample_square(const u8 *y, const u8 *u, const u8 *v, i32 width, i32 height, i32 side, const float *map, const float *color,
                   const float *range, i32 black_outside, float *out) {
  const i32 chroma_width = (width + 1) >> 1;
  const float gain = (range[1] - range[0]) / 255;
  const v128_t low = wasm_f32x4_splat(range[0]), half = wasm_f32x4_const_splat(128);
  for (i32 row = 0; row < side; row += 1) {
    for (i32 column = 0; column < side; column += 4, out += 12) {
      const v128_t at = wasm_f32x4_make(column, column + 1, column + 2, column + 3);
      const v128_t px = wasm_f32x4_add(times(at, map[0]), wasm_f32x4_splat(map[1] * row + map[2]));
      const v128_t py = wasm_f32x4_add(times(at, map[3]), wasm_f32x4_splat(map[4] * row + map[5]));
      const v128_t cx = bound(px, 0, width - 1), cy = bound(py, 0, height - 1);
      /* The last column and row are the far ends of the ones before. */
      const v128_t ix = wasm_i32x4_min(wasm_i32x4_trunc_sat_f32x4(cx), wasm_i32x4_splat(width - 2));
      const v128_t iy = wasm_i32x4_min(wasm_i32x4_trunc_sat_f32x4(cy), wasm_i32x4_splat(height - 2));
      const v128_t fx = wasm_f32x4_sub(cx, wasm_f32x4_convert_i32x4(ix)), fy = wasm_f32x4_sub(cy, wasm_f32x4_convert_i32x4(iy));
      const v128_t texels = wasm_i32x4_add(wasm_i32x4_mul(iy, wasm_i32x4_splat(width)), ix);
      v128_t upper = wasm_i32x4_const_splat(0), lower = upper, us = upper, vs = upper;
      EACH(LOAD_PAIR, upper, y, texels)
      EACH(LOAD_PAIR, lower, y + width, texels)
      const v128_t chroma = wasm_i32x4_add(wasm_i32x4_mul(wasm_i32x4_shr(iy, 1), wasm_i32x4_splat(chroma_width)), wasm_i32x4_shr(ix, 1));
      EACH(LOAD_ONE, us, u, chroma)
      EACH(LOAD_ONE, vs, v, chroma)
      const v128_t top = along(upper, fx);
      const v128_t luma = wasm_f32x4_add(top, wasm_f32x4_mul(wasm_f32x4_sub(along(lower, fx), top), fy));
      const v128_t light = times(wasm_f32x4_sub(luma, wasm_f32x4_splat(color[0])), color[1]);
      const v128_t cu = wasm_f32x4_sub(wasm_f32x4_convert_i32x4(us), half), cv = wasm_f32x4_sub(wasm_f32x4_convert_i32x4(vs), half);
      v128_t red = wasm_f32x4_add(light, times(cv, color[2]));
      v128_t green = wasm_f32x4_sub(wasm_f32x4_sub(light, times(cu, color[3])), times(cv, color[4]));
      v128_t blue = wasm_f32x4_add(light, times(cu, color[5]));
      red = wasm_f32x4_add(times(bound(red, 0, 255), gain), low);
      green = wasm_f32x4_add(times(bound(green, 0, 255), gain), low);
      blue = wasm_f32x4_add(times(bound(blue, 0, 255), gain), low);
      if (black_outside) {
        const v128_t before = wasm_v128_or(wasm_f32x4_lt(px, wasm_f32x4_const_splat(-1)), wasm_f32x4_lt(py, wasm_f32x4_const_splat(-1)));
        const v128_t after = wasm_v128_or(wasm_f32x4_gt(px, wasm_f32x4_splat(width)), wasm_f32x4_gt(py, wasm_f32x4_splat(height)));
        const v128_t outside = wasm_v128_or(before, after);
        red = wasm_v128_bitselect(low, red, outside);
        green = wasm_v128_bitselect(low, green, outside);
        blue = wasm_v128_bitselect(low, blue, outside);
      }
      const v128_t mixed = wasm_i32x4_shuffle(red, green, 0, 4, 1, 5), rest = wasm_i32x4_shuffle(red, green, 2, 6, 3, 7);
      wasm_v128_store(out, wasm_i32x4_shuffle(mixed, blue, 0, 1, 4, 2));
      wasm_v128_store(out + 4, wasm_i32x4_shuffle(wasm_i32x4_shuffle(mixed, blue, 3, 5, 3, 5), rest, 0, 1, 4, 5));
      wasm_v128_store(out + 8, wasm_i32x4_shuffle(rest, blue, 6, 2, 3, 7));
    }
  }
}

/* Two bytes each twice, as floats. Reads four bytes in any case. */
static inline v128_t two_twice(const u8 *from) {
  const v128_t both = four_floats(from);
  return wasm_i32x4_shuffle(both, both, 0, 0, 1, 1);
}
/* To whole numbers, halves to even, as in a clamped array. */
static inline v128_t nearest(v128_t value) { return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(value)); }

/* Rows of I420 as opaque RGBA, from a row with an even number on; see color.ts for the factors. Up to three pixels more are written. */
EXPORT("planes_to_rgba") void planes_to_rgba(const u8 *y, const u8 *u, const u8 *v, i32 width, i32 rows, double black, double scale, double red_v,
                double green_u, double green_v, double blue_u, u8 *restrict rgba) {
  const i32 chroma_width = (width + 1) >> 1;
  const v128_t opaque = wasm_i32x4_const_splat(255), half = wasm_f32x4_const_splat(128);
  for (i32 row = 0; row < rows; row += 1, y += width, rgba += width * 4) {
    const u8 *us = u + (row >> 1) * chroma_width, *vs = v + (row >> 1) * chroma_width;
    for (i32 x = 0; x < width; x += 4) {
      const v128_t light = times(wasm_f32x4_sub(four_floats(y + x), wasm_f32x4_splat(black)), scale);
      const v128_t cu = wasm_f32x4_sub(two_twice(us + x / 2), half), cv = wasm_f32x4_sub(two_twice(vs + x / 2), half);
      const v128_t red = nearest(wasm_f32x4_add(light, times(cv, red_v)));
      const v128_t green = nearest(wasm_f32x4_sub(wasm_f32x4_sub(light, times(cu, green_u)), times(cv, green_v)));
      const v128_t blue = nearest(wasm_f32x4_add(light, times(cu, blue_u)));
      /* Reds, greens, blues and alphas of four pixels, to be put side by side. */
      const v128_t bytes = wasm_u8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(red, green), wasm_i16x8_narrow_i32x4(blue, opaque));
      wasm_v128_store(rgba + x * 4, wasm_i8x16_shuffle(bytes, bytes, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    }
  }
}

static inline u8 bounded_byte(double value) { return value < 0 ? 0 : value > 255 ? 255 : (u8)(i32)value; }

/* RGBA as I420, a band from a row with an even number on; chroma is the mean of four pixels. See color.ts for the factors. */
EXPORT("rgba_to_planes") void rgba_to_planes(const u8 *rgba, i32 width, i32 rows, double kr, double kg, double kb, double luma_scale, double black,
                double u_scale, double v_scale, u8 *restrict y, u8 *restrict u, u8 *restrict v) {
  for (i32 at = 0; at < width * rows; at += 1) {
    const u8 *pixel = rgba + at * 4;
    y[at] = (u8)(i32)((kr * pixel[0] + kg * pixel[1] + kb * pixel[2]) * luma_scale + black + 0.5);
  }
  for (i32 row = 0; row < rows; row += 2) {
    const i32 below = row + 1 < rows ? width * 4 : 0;
    for (i32 x = 0; x < width; x += 2, u += 1, v += 1) {
      const u8 *a = rgba + (row * width + x) * 4, *b = a + (x + 1 < width ? 4 : 0), *c = a + below, *d = b + below;
      const double red = a[0] + b[0] + c[0] + d[0], green = a[1] + b[1] + c[1] + d[1], blue = a[2] + b[2] + c[2] + d[2];
      const double luma = kr * red + kg * green + kb * blue;
      *u = bounded_byte((blue - luma) / 4 * u_scale + 128.5);
      *v = bounded_byte((red - luma) / 4 * v_scale + 128.5);
    }
  }
}

/* Where a pixel's centre lies in a field whose values are at whole numbers. */
static inline double place_in(i32 pixel, i32 length, i32 side) {
  const double at = (pixel + 0.5) * side / length - 0.5;
  return at < 0 ? 0 : at > side - 1 ? side - 1 : at;
}

/* Upsamples one channel of a field of `side`² pixels, see enlarge.ts. */
EXPORT("enlarge") void enlarge(const float *field, i32 side, i32 channels, i32 channel, float *restrict out, i32 width, i32 height) {
  static i32 lefts[MOST];
  static float shares[MOST], line[MOST];
  for (i32 x = 0; x < width; x += 1) {
    lefts[x] = least(side - 2, (i32)place_in(x, width, side));
    shares[x] = (float)(place_in(x, width, side) - lefts[x]);
  }
  for (i32 row = 0; row < height; row += 1, out += width) {
    const double y = place_in(row, height, side);
    const i32 top = least(side - 2, (i32)y);
    const float down = (float)(y - top);
    const float *upper = field + top * side * channels + channel, *lower = upper + side * channels;
    for (i32 at = 0; at < side; at += 1) line[at] = upper[at * channels] + (lower[at * channels] - upper[at * channels]) * down;
    for (i32 x = 0; x < width; x += 1) out[x] = line[lefts[x]] + (line[lefts[x] + 1] - line[lefts[x]]) * shares[x];
  }
}

/*
 * Scales a plane down: first its columns, then its rows. Each value is the sum of `taps` values from a first one on,
 * with weights of 14 bits. Between both passes, values have 6 more bits; `line` has room for a row of `i32`.
 */
EXPORT("scale_columns") void scale_columns(const u8 *restrict from, i32 width, const i32 *firsts, const short *weights, i32 taps, short *restrict to, i32 height, i32 *restrict line) {
  for (i32 row = 0; row < height; row += 1, weights += taps, to += width) {
    for (i32 x = 0; x < width; x += 1) line[x] = 128;
    const u8 *restrict in = from + firsts[row] * width;
    for (i32 tap = 0; tap < taps; tap += 1, in += width) {
      const i32 weight = weights[tap];
      for (i32 x = 0; x < width; x += 1) line[x] += in[x] * weight;
    }
    for (i32 x = 0; x < width; x += 1) to[x] = (short)(line[x] >> 8);
  }
}

/* `taps` is a multiple of 8. What is read beyond a row has no weight. */
EXPORT("scale_rows") void scale_rows(const short *restrict from, i32 stride, const i32 *firsts, const short *weights, i32 taps, u8 *restrict to, i32 width, i32 height) {
  for (i32 row = 0; row < height; row += 1, from += stride, to += width) {
    for (i32 x = 0; x < width; x += 1) {
      const short *in = from + firsts[x], *weight = weights + x * taps;
      v128_t sums = wasm_i32x4_splat(0);
      for (i32 tap = 0; tap < taps; tap += 8)
        sums = wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(wasm_v128_load(in + tap), wasm_v128_load(weight + tap)));
      const i32 sum = wasm_i32x4_extract_lane(sums, 0) + wasm_i32x4_extract_lane(sums, 1) + wasm_i32x4_extract_lane(sums, 2) + wasm_i32x4_extract_lane(sums, 3);
      to[x] = (u8)least(255, most(0, (sum + (1 << 19)) >> 20));
    }
  }
}
