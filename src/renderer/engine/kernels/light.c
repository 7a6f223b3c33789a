/* Local means of light and hue over a coarse grid. */
#include "common.h"

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
