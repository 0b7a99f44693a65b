#include <metal_stdlib>
using namespace metal;

// Copies matrices with rows and columns exchanged. Each tile goes through threadgroup memory, so
// that both reads and writes are in order of addresses; the tile's extra column avoids bank
// conflicts. Package tensorop defines the macro; the value here is for tools that open the file.
#ifndef IN
#define IN float // an element
#endif

// Offsets and strides are in elements. A row of the result is a column of the operand.
struct P {
    int rows, columns, outOffset, outRow, inOffset, inRow, rank, shape[14], outStride[14], inStride[14];
};

kernel void transpose_tiles(device IN *out [[buffer(0)]], device const IN *in [[buffer(1)]],
                            constant P &p [[buffer(2)]], uint3 group [[threadgroup_position_in_grid]],
                            uint3 t [[thread_position_in_threadgroup]]) {
    threadgroup IN tile[32][33];
    int batch = int(group.z);
    in += p.inOffset;
    out += p.outOffset;
    for (int d = p.rank - 1; d >= 0; d--) {
        int i = batch % p.shape[d];
        batch /= p.shape[d];
        in += i * p.inStride[d];
        out += i * p.outStride[d];
    }
    int column = int(group.x) * 32, row = int(group.y) * 32;
    for (int i = int(t.y); i < 32; i += 8) {
        int c = column + i, r = row + int(t.x);
        if (c < p.columns && r < p.rows) tile[i][t.x] = in[c * p.inRow + r];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = int(t.y); i < 32; i += 8) {
        int r = row + i, c = column + int(t.x);
        if (r < p.rows && c < p.columns) out[r * p.outRow + c] = tile[t.x][i];
    }
}
