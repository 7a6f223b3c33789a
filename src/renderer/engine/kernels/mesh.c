/* Draws a mesh with a texture. */
#include "common.h"

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
