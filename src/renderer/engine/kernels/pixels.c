/* Samples, converts and scales pictures. */
#include "common.h"

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
