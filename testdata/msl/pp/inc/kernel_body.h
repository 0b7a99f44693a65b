#include "names.h"
kernel void CAT(CAT(binary_, OP), _float)(device const float* a, device const float* b, device float* c,
                                          uint i [[thread_position_in_grid]]) {
    c[i] = EXPR(a[i], b[i]);
}
#undef OP
#undef EXPR
