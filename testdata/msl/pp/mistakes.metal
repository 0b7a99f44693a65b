// What goes wrong, and how it is told: at the place, through macros, through includes.
#include <metal_stdlib>
#include "inc/broken.h"
#includ "inc/names.h"

#define SQUARE(x) ((x) * (x) @)
#define TWICE(f, x) f(f(x))
float a = TWICE(SQUARE, 2.0f);
float b = SQUARE(09);
float c = SQUARE(1, 2);
float d = HALF_OF(3);
constant char e[] = "unterminated;
float	f = 1.5q;	// tabs stay in place

#if LIMIT > 08
#endif
#if (1 + 2
#endif
#define PASTE(a, b) a##b
int g = PASTE(+, +) PASTE(x, 1) PASTE(., !);
#line 1000 "generated.metal"
int h = 'ab' + '' + 0xg;
#ifdef NEVER
