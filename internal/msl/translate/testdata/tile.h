#ifndef TILE_H
#define TILE_H
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define INLINE inline
typedef float REAL;
#endif
