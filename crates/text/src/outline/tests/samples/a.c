/* adler32.c -- compute the Adler-32 checksum of a data stream
 * Copyright (C) 1995-2011 Mark Adler
 * For conditions of distribution and use, see copyright notice in zlib.h
 */
#ifndef A_H
#define A_H
#include <stdio.h>
#include "local.h"
#define MAX 10 /* most */
#define MIN(a,b) ((a)<(b)?(a):(b))
#ifdef __cplusplus
extern "C" {
#endif
/**
 * Adds.
 * @param a first
 */
int add(int a, int b);
static inline char *dup(const char *s) { return 0; }
struct point { int x; };
typedef struct node { int v; } node_t;
typedef unsigned long ulong;
typedef int (*cb)(void *);
enum color { RED };
union u { int a; };
static const int table[] = {
 1, 2 };
int counter;
struct point *make(void)
{
  return 0;
}
int (*fp)(void);
#ifdef __cplusplus
}
#endif
#endif
