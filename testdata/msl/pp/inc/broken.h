#define HALF_OF(x) x / 2 $ `
#warning this header is broken
#else
