/* SPDX-License-Identifier: Apache-2.0 */
/* Draws digits as pen strokes in a unit square (x to the right, y down). Each digit has a random
 * affine map and bend, a random pen, and noise. */
#include "digits.h"

#include <math.h>
#include <string.h>

#include "examples/layers/random.h"

enum { STROKES_AT_MOST = 4, ARC_STEPS = 16, STYLES = 14 };

/* A line from (a, b) to (c, d), or an arc of the ellipse around (a, b) with radii (c, d). The arc
 * lies between two angles in degrees, clockwise from the right. */
struct stroke {
    enum { NO_STROKE, LINE, ARC } kind;
    double a, b, c, d;
    double from, to;
};

struct style {
    int digit;
    struct stroke strokes[STROKES_AT_MOST];
};

/* The styles of the digits. Some digits have two styles, which are equally frequent. */
static const struct style styles[STYLES] = {
    {0, {{ARC, .50, .50, .30, .42, 0, 360}}},
    {1, {{LINE, .50, .08, .50, .92, 0, 0}}},
    {1, {{LINE, .50, .08, .50, .92, 0, 0}, {LINE, .30, .27, .50, .08, 0, 0}}},
    {2,
     {{ARC, .50, .32, .28, .24, 190, 400},
      {LINE, .71, .47, .22, .92, 0, 0},
      {LINE, .22, .92, .80, .92, 0, 0}}},
    {3, {{ARC, .48, .29, .27, .21, 200, 450}, {ARC, .48, .71, .30, .21, 270, 520}}},
    {4,
     {{LINE, .60, .08, .18, .62, 0, 0},
      {LINE, .18, .62, .85, .62, 0, 0},
      {LINE, .62, .35, .62, .94, 0, 0}}},
    {4,
     {{LINE, .25, .10, .22, .55, 0, 0},
      {LINE, .22, .55, .80, .55, 0, 0},
      {LINE, .70, .10, .68, .94, 0, 0}}},
    {5,
     {{LINE, .75, .08, .30, .08, 0, 0},
      {LINE, .30, .08, .27, .46, 0, 0},
      {ARC, .47, .66, .28, .25, 225, 510}}},
    {6, {{ARC, .70, .66, .46, .58, 180, 265}, {ARC, .50, .69, .26, .23, 0, 360}}},
    {7, {{LINE, .20, .10, .80, .10, 0, 0}, {LINE, .80, .10, .42, .92, 0, 0}}},
    {7,
     {{LINE, .20, .10, .80, .10, 0, 0},
      {LINE, .80, .10, .42, .92, 0, 0},
      {LINE, .38, .50, .76, .50, 0, 0}}},
    {8, {{ARC, .50, .29, .23, .20, 0, 360}, {ARC, .50, .71, .28, .22, 0, 360}}},
    {9, {{ARC, .48, .32, .25, .23, 0, 360}, {LINE, .73, .32, .68, .92, 0, 0}}},
    {9, {{ARC, .48, .32, .25, .23, 0, 360}, {ARC, .30, .36, .43, .56, 0, 80}}},
};

struct point {
    double x, y;
};

/* The map x' = xx x + xy y + x0 after x += bend (2y - 1)^2, in pixels; y' likewise. */
struct hand {
    double xx, xy, yx, yy, x0, y0, bend;
    double radius; /* radius of the pen in pixels */
    double ink;    /* brightness of a fully covered pixel */
    double noise;  /* half the range of the noise, in brightness */
};

static struct hand hand_draw(struct random *r)
{
    double turn = random_uniform(r, -0.26, 0.26);
    double slant = random_uniform(r, -0.30, 0.30);
    double height = random_uniform(r, 17, 23);
    double width = height * random_uniform(r, 0.65, 1.0);
    double cosine = cos(turn);
    double sine = sin(turn);
    struct hand h = {
        .xx = cosine * width,
        .xy = cosine * slant * width - sine * height,
        .yx = sine * width,
        .yy = sine * slant * width + cosine * height,
        .bend = random_uniform(r, -0.08, 0.08),
        .radius = random_uniform(r, 0.7, 1.7),
        .ink = random_uniform(r, 190, 255),
        .noise = random_uniform(r, 0, 40),
    };

    h.x0 = IMAGE_SIDE / 2.0 + random_uniform(r, -2.5, 2.5) - 0.5 * (h.xx + h.xy);
    h.y0 = IMAGE_SIDE / 2.0 + random_uniform(r, -2.5, 2.5) - 0.5 * (h.yx + h.yy);
    return h;
}

static struct point hand_map(const struct hand *h, double x, double y)
{
    double bent = x + h->bend * (2 * y - 1) * (2 * y - 1);

    return (struct point){h->xx * bent + h->xy * y + h->x0, h->yx * bent + h->yy * y + h->y0};
}

static double distance_to_segment(struct point p, struct point a, struct point b)
{
    double dx = b.x - a.x;
    double dy = b.y - a.y;
    double length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2 : 0;

    t = t < 0 ? 0 : t > 1 ? 1 : t;
    dx = p.x - a.x - t * dx;
    dy = p.y - a.y - t * dy;
    return sqrt(dx * dx + dy * dy);
}

static int pixel_at(double coordinate)
{
    return coordinate < 0 ? 0 : coordinate >= IMAGE_SIDE ? IMAGE_SIDE - 1 : (int)coordinate;
}

/* Draws a segment. A pixel's coverage is the distance by which the pen's edge extends beyond its
 * center, plus half a pixel; at most 1. */
static void draw_segment(float *cover, double radius, struct point a, struct point b)
{
    double reach = radius + 1;
    int top = pixel_at(fmin(a.y, b.y) - reach);
    int bottom = pixel_at(fmax(a.y, b.y) + reach);
    int left = pixel_at(fmin(a.x, b.x) - reach);
    int right = pixel_at(fmax(a.x, b.x) + reach);

    for (int row = top; row <= bottom; row++)
        for (int column = left; column <= right; column++) {
            struct point centre = {column + 0.5, row + 0.5};
            double c = radius + 0.5 - distance_to_segment(centre, a, b);
            float *pixel = &cover[row * IMAGE_SIDE + column];

            *pixel = fmaxf(*pixel, (float)fmin(c, 1));
        }
}

static void draw_stroke(float *cover, const struct hand *h, const struct stroke *s)
{
    int steps = s->kind == ARC ? ARC_STEPS : 1;
    struct point last = {0, 0};

    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        double angle = (s->from + t * (s->to - s->from)) * (3.14159265358979323846 / 180);
        struct point next = s->kind == ARC
                                ? hand_map(h, s->a + s->c * cos(angle), s->b + s->d * sin(angle))
                                : hand_map(h, s->a + t * (s->c - s->a), s->b + t * (s->d - s->b));

        if (i > 0)
            draw_segment(cover, h->radius, last, next);
        last = next;
    }
}

/* Adds ink and noise. Noise is the sum of four uniform numbers, which approximates a normal
 * distribution. */
static void finish_image(uint8_t *pixels, const float *cover, const struct hand *h,
                         struct random *r)
{
    for (int i = 0; i < IMAGE_PIXELS; i++) {
        uint64_t bits = random_next(r);
        int sum = (int)(bits & 0xffff) + (int)(bits >> 16 & 0xffff) + (int)(bits >> 32 & 0xffff) +
                  (int)(bits >> 48);
        double value = h->ink * (double)cover[i] + h->noise * (sum / 131070.0 - 1);

        pixels[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
    }
}

static const struct style *choose_style(int digit, struct random *r)
{
    const struct style *found[STYLES];
    int count = 0;

    for (int i = 0; i < STYLES; i++)
        if (styles[i].digit == digit)
            found[count++] = &styles[i];
    return found[random_below(r, count)];
}

static void draw_digit(uint8_t *pixels, int digit, struct random *r)
{
    const struct style *style = choose_style(digit, r);
    struct hand h = hand_draw(r);
    float cover[IMAGE_PIXELS];

    memset(cover, 0, sizeof cover);
    for (int i = 0; i < STROKES_AT_MOST && style->strokes[i].kind != NO_STROKE; i++) {
        struct stroke s = style->strokes[i];

        s.a += random_uniform(r, -.03, .03);
        s.b += random_uniform(r, -.03, .03);
        s.c += random_uniform(r, -.03, .03);
        s.d += random_uniform(r, -.03, .03);
        draw_stroke(cover, &h, &s);
    }
    finish_image(pixels, cover, &h, r);
}

int digits_draw(struct dataset *set, int count, uint64_t seed, uint64_t part)
{
    if (dataset_allocate(set, count, 1, IMAGE_SIDE) < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        struct random r = random_stream(seed, part << 32 | (uint64_t)i);
        int digit = random_below(&r, CLASSES);

        set->labels[i] = (uint8_t)digit;
        draw_digit(set->pixels + (size_t)i * IMAGE_PIXELS, digit, &r);
    }
    return 0;
}
