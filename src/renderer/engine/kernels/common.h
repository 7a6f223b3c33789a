/*
 * Loops over pixels, as WebAssembly with SIMD. `node scripts/kernels.mjs` compiles the files of this folder into one module.
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

/* Rounded means of eight blocks of 2 x 2 pixels, in lanes of 16 bits. */
static inline v128_t means_of_four(const u8 *upper, i32 width) {
  const v128_t sums = wasm_i16x8_add(wasm_u16x8_extadd_pairwise_u8x16(wasm_v128_load(upper)),
                                     wasm_u16x8_extadd_pairwise_u8x16(wasm_v128_load(upper + width)));
  return wasm_u16x8_shr(wasm_i16x8_add(sums, wasm_i16x8_const_splat(2)), 2);
}

/*
 * A part of one row of the mask at full size, parts of 4096, from two of its own rows; `near` counts three times. `from` and
 * `to` are counted in the mask's pixels. Up to 16 more values are written.
 */
static inline void read_shares(const u8 *near, const u8 *far, i32 half, i32 from, i32 to, i32 scale, i16 *restrict out) {
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
static inline void read_cells(const float *cells, Grid grid, float *restrict out) {
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
static inline void read_band(const float *field, Grid grid, i32 row, Band *out) {
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
