/* SPDX-License-Identifier: Apache-2.0 */
/* Draws images of figures. A figure is the area where a function of the position is below 0. It is
 * rotated, stretched and moved, and has one color. The background is a gradient between two other
 * colors. The image has noise. */
#include "scenes.h"

#include <math.h>

#include "examples/layers/random.h"

static const double pi = 3.14159265358979323846;

/* Returns a value below 0 inside the figure. A figure fills about -1 to 1 of its own
 * coordinates. */
typedef double (*figure_fn)(double x, double y);

static double disc(double x, double y)
{
    return hypot(x, y) - 0.9;
}

static double ring(double x, double y)
{
    return fabs(hypot(x, y) - 0.7) - 0.2;
}

static double square(double x, double y)
{
    return fmax(fabs(x), fabs(y)) - 0.8;
}

static double frame(double x, double y)
{
    return fabs(fmax(fabs(x), fabs(y)) - 0.7) - 0.18;
}

static double triangle(double x, double y)
{
    return fmax(fmax(y - 0.6, -y - 1.7 * x - 0.8), -y + 1.7 * x - 0.8) * 0.6;
}

static double cross(double x, double y)
{
    double a = fmax(fabs(x) - 0.9, fabs(y) - 0.25), b = fmax(fabs(y) - 0.9, fabs(x) - 0.25);

    return fmin(a, b);
}

static double crescent(double x, double y)
{
    return fmax(hypot(x, y) - 0.9, 0.75 - hypot(x - 0.5, y));
}

static double star(double x, double y)
{
    double angle = atan2(y, x), folded = cos(2.5 * angle);

    return hypot(x, y) - (0.4 + 0.6 * folded * folded);
}

static double bars(double x, double y)
{
    return fmax(fmax(fabs(x), fabs(y)) - 0.9, cos(3.5 * pi * x) * 0.2);
}

static double board(double x, double y)
{
    return fmax(fmax(fabs(x), fabs(y)) - 0.9, sin(2.5 * pi * x) * sin(2.5 * pi * y) * 0.2);
}

static const figure_fn figures[CLASSES] = {disc,  ring,     square, frame, triangle,
                                           cross, crescent, star,   bars,  board};

/* The map from pixels to the figure's coordinates. */
struct pose {
    double xx, xy, yx, yy, x0, y0, size;
};

static struct pose draw_pose(struct random *r)
{
    double turn = random_uniform(r, 0, 2 * pi), size = random_uniform(r, 6, 12);
    double stretch = random_uniform(r, 0.75, 1.33);
    struct pose p = {
        .xx = cos(turn) / size * stretch,
        .xy = sin(turn) / size * stretch,
        .yx = -sin(turn) / size,
        .yy = cos(turn) / size,
        .x0 = SCENE_SIDE / 2.0 + random_uniform(r, -5, 5),
        .y0 = SCENE_SIDE / 2.0 + random_uniform(r, -5, 5),
        .size = size,
    };

    return p;
}

/* Returns the pixel's coverage by the figure. The edge extends half a pixel each way. */
static double cover(figure_fn figure, const struct pose *p, int row, int column)
{
    double dx = column + 0.5 - p->x0, dy = row + 0.5 - p->y0;
    double far = figure(p->xx * dx + p->xy * dy, p->yx * dx + p->yy * dy) * p->size;

    return fmin(fmax(0.5 - far, 0), 1);
}

static void draw_colour(struct random *r, double colour[3])
{
    for (int c = 0; c < 3; c++)
        colour[c] = random_uniform(r, 0, 255);
}

static void draw_scene(uint8_t *pixels, figure_fn figure, struct random *r)
{
    struct pose pose = draw_pose(r);
    double ink[3], from[3], to[3], noise = random_uniform(r, 5, 60);
    double angle = random_uniform(r, 0, 2 * pi);

    draw_colour(r, ink);
    draw_colour(r, from);
    draw_colour(r, to);
    for (int row = 0; row < SCENE_SIDE; row++)
        for (int column = 0; column < SCENE_SIDE; column++) {
            double covered = cover(figure, &pose, row, column);
            double along = 0.5 + ((column - 15.5) * cos(angle) + (row - 15.5) * sin(angle)) / 44;

            for (int c = 0; c < 3; c++) {
                double behind = from[c] + along * (to[c] - from[c]);
                double value = behind + covered * (ink[c] - behind) +
                               noise * (random_uniform(r, -1, 1) + random_uniform(r, -1, 1));

                pixels[(c * SCENE_SIDE + row) * SCENE_SIDE + column] =
                    (uint8_t)(fmin(fmax(value, 0), 255) + 0.5);
            }
        }
}

int scenes_draw(struct dataset *set, int count, uint64_t seed, int test)
{
    if (dataset_allocate(set, count, 3, SCENE_SIDE) < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        struct random r = random_stream(seed, (uint64_t)(test + 2) << 32 | (uint64_t)i);
        int kind = random_below(&r, CLASSES);

        set->labels[i] = (uint8_t)kind;
        draw_scene(set->pixels + (size_t)i * dataset_pixels(set), figures[kind], &r);
    }
    return 0;
}
