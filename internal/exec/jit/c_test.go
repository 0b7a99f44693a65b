package jit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// cKernels are the measured kernels as one would write them in C for a processor: each computes one
// of several parts of the whole grid. What a threadgroup shares is in local arrays.
const cKernels = `
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef uint32_t uint;
typedef uint8_t uchar;
#define KERNEL(name) void name(void **b, const long *grid, long part, long parts)
#define SPLIT(n) const long all = (n), from = all * part / parts, to = all * (part + 1) / parts;
#define ARG(type, name, i) type *restrict name = b[i];
#define NUMBER(name, i) const uint name = *(uint *)b[i];
#define EACH(i) for (long i = from; i < to; i++)

KERNEL(saxpy) {
  ARG(float, y, 0) ARG(float, x, 1) const float a = *(float *)b[2];
  SPLIT(grid[0]) EACH(i) y[i] = a * x[i] + y[i];
}
KERNEL(matmul) {
  ARG(float, C, 0) ARG(float, A, 1) ARG(float, B, 2) NUMBER(N, 3)
  SPLIT(N) EACH(y) {
    float *row = C + y * N;
    memset(row, 0, 4 * N);
    for (long k = 0; k < N; k++) for (long x = 0; x < N; x++) row[x] += A[y*N+k] * B[k*N+x];
  }
}
KERNEL(tiled) {
  ARG(float, C, 0) ARG(float, A, 1) ARG(float, B, 2) NUMBER(N, 3)
  SPLIT(N / 16) EACH(ty) for (long tx = 0; tx < N / 16; tx++) {
    float s[16][16] = {{0}};
    for (long k = 0; k < N; k++)
      for (long y = 0; y < 16; y++) for (long x = 0; x < 16; x++) s[y][x] += A[(ty*16+y)*N+k] * B[k*N+tx*16+x];
    for (long y = 0; y < 16; y++) memcpy(C + (ty*16+y)*N+tx*16, s[y], 64);
  }
}
KERNEL(mandelbrot) {
  ARG(int, out, 0) NUMBER(w, 1)
  SPLIT(grid[1]) EACH(gy) for (uint gx = 0; gx < w; gx++) {
    float cx = gx * 3.0f / w - 2, cy = gy * 2.0f / w - 1, x = 0, y = 0; int i = 0;
    while (i < 100 && x*x + y*y <= 4) { float t = x*x - y*y + cx; y = 2*x*y + cy; x = t; i++; }
    out[gy*w+gx] = i;
  }
}
KERNEL(reduce) {
  ARG(float, out, 0) ARG(float, in, 1)
  SPLIT(grid[0] / 256) EACH(g) {
    float s[128];
    for (int t = 0; t < 128; t++) s[t] = in[g*256+t] + in[g*256+128+t];
    for (int d = 64; d > 0; d >>= 1) for (int t = 0; t < d; t++) s[t] += s[t+d];
    out[g] = s[0];
  }
}
KERNEL(softmax) {
  ARG(float, out, 0) ARG(float, in, 1) NUMBER(n, 2)
  SPLIT(grid[0] / 256) EACH(g) {
    float m = -INFINITY, sum = 0;
    for (uint i = 0; i < n; i++) m = fmaxf(m, in[g*n+i]);
    for (uint i = 0; i < n; i++) sum += out[g*n+i] = expf(in[g*n+i] - m);
    for (uint i = 0; i < n; i++) out[g*n+i] *= 1 / sum;
  }
}
static void count(uint *out, const uchar *in, long from, long to) {
  uint h[256] = {0};
  for (long i = from; i < to; i++) h[in[i]]++;
  for (int i = 0; i < 256; i++) __atomic_fetch_add(&out[i], h[i], __ATOMIC_RELAXED);
}
KERNEL(histogram) { NUMBER(n, 2) SPLIT(n) count(b[0], b[1], from, to); }
KERNEL(histogramDevice) { NUMBER(n, 2) SPLIT(n) count(b[0], b[1], from, to); }
KERNEL(sigmoid) { ARG(float, out, 0) ARG(float, in, 1) SPLIT(grid[0]) EACH(i) out[i] = 1 / (1 + expf(-in[i])); }
KERNEL(gelu) {
  ARG(float, out, 0) ARG(float, in, 1)
  SPLIT(grid[0]) EACH(i) {
    float x = in[i];
    out[i] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
  }
}
KERNEL(transpose) {
  ARG(float, out, 0) ARG(float, in, 1) NUMBER(n, 2)
  SPLIT(n / 16) EACH(gy) for (long gx = 0; gx < n / 16; gx++)
    for (long y = 0; y < 16; y++) for (long x = 0; x < 16; x++) out[(gx*16+y)*n+gy*16+x] = in[(gy*16+x)*n+gx*16+y];
}
KERNEL(stencil) {
  ARG(float, out, 0) ARG(float, in, 1) NUMBER(n, 2)
  SPLIT(n) EACH(y) if (y > 0 && y < n - 1) for (long x = 1; x < n - 1; x++) {
    long i = y * n + x;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  }
}
KERNEL(nbody) {
  ARG(float, out, 0) ARG(float, in, 1) NUMBER(n, 2)
  SPLIT(n) EACH(i) {
    float px = in[4*i], py = in[4*i+1], pz = in[4*i+2], ax = 0, ay = 0, az = 0;
    for (long j = 0; j < n; j++) {
      float x = in[4*j] - px, y = in[4*j+1] - py, z = in[4*j+2] - pz;
      float r = 1 / sqrtf(x * x + y * y + z * z + 0.01f), f = in[4*j+3] * r * r * r;
      ax += x * f; ay += y * f; az += z * f;
    }
    out[4*i] = ax; out[4*i+1] = ay; out[4*i+2] = az; out[4*i+3] = in[4*i+3];
  }
}
KERNEL(scan) {
  ARG(uint, out, 0) ARG(uint, in, 1)
  SPLIT(grid[0] / 256) EACH(g) {
    uint sum = 0;
    for (int t = 0; t < 256; t++) out[g*256+t] = sum += in[g*256+t];
  }
}
KERNEL(bitonic) {
  ARG(uint, out, 0) ARG(uint, in, 1)
  SPLIT(grid[0] / 256) EACH(g) {
    uint s[256];
    memcpy(s, in + g * 256, sizeof s);
    for (uint k = 2; k <= 256; k <<= 1) for (uint j = k >> 1; j > 0; j >>= 1) for (uint t = 0; t < 256; t++) {
      uint o = t ^ j;
      if (o > t && (s[t] > s[o]) == ((t & k) == 0)) { uint a = s[t]; s[t] = s[o]; s[o] = a; }
    }
    memcpy(out + g * 256, s, sizeof s);
  }
}
KERNEL(spmv) {
  ARG(float, out, 0) ARG(float, x, 1) ARG(uint, row, 2) ARG(uint, column, 3) ARG(float, value, 4)
  SPLIT(grid[0]) EACH(i) {
    float s = 0;
    for (uint k = row[i]; k < row[i + 1]; k++) s += value[k] * x[column[k]];
    out[i] = s;
  }
}
static long within(long i, long n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
KERNEL(blur) {
  ARG(float, out, 0) ARG(float, in, 1) NUMBER(n, 2)
  const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  SPLIT(n) EACH(gy) for (long gx = 0; gx < n; gx++) {
    float s = 0;
    for (int y = 0; y < 5; y++) for (int x = 0; x < 5; x++)
      s += w[y] * w[x] * in[within(gy + y - 2, n) * n + within(gx + x - 2, n)];
    out[gy * n + gx] = s;
  }
}
KERNEL(blurTexture) { blur(b, grid, part, parts); }
KERNEL(resampleTexture) {
  ARG(float, out, 0) ARG(float, in, 1) NUMBER(n, 2)
  SPLIT(n) EACH(gy) for (long gx = 0; gx < n; gx++) {
    float x = (gx * 0.71f + 0.3f) / n * n - 0.5f, y = (gy * 0.71f + 0.3f) / n * n - 0.5f;
    float left = floorf(x), top = floorf(y), px = x - left, py = y - top;
    const float *r = in + within(top, n) * n, *s = in + within(top + 1, n) * n;
    long i = within(left, n), j = within(left + 1, n);
    out[gy * n + gx] = (1 - px) * (1 - py) * r[i] + px * (1 - py) * r[j] + (1 - px) * py * s[i] + px * py * s[j];
  }
}
KERNEL(insertion) {
  ARG(uint, out, 0) ARG(uint, in, 1)
  SPLIT(grid[0]) EACH(i) {
    uint *a = out + 16 * i;
    memcpy(a, in + 16 * i, 64);
    for (int k = 1; k < 16; k++) {
      uint x = a[k], j = k;
      for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
      a[j] = x;
    }
  }
}
#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
static void hash(uint *out, const uint *in, const uint *K, long i) {
` + roundsOfSHA256 + `
KERNEL(sha256) { SPLIT(grid[0]) EACH(i) hash(b[0], b[1], b[2], i); }
`

// cLibrary is cKernels, compiled for this processor.
type cLibrary uintptr

// newC compiles cKernels, or returns an error that says what is missing.
func newC(t *testing.T) (cLibrary, error) {
	compiler := ""
	for _, name := range []string{"clang-19", "clang", "gcc"} {
		if path, err := exec.LookPath(name); err == nil && compiler == "" {
			compiler = path
		}
	}
	if compiler == "" {
		return 0, exec.ErrNotFound
	}
	source, library := filepath.Join(t.TempDir(), "kernels.c"), filepath.Join(t.TempDir(), "kernels.so")
	if err := os.WriteFile(source, []byte(cKernels), 0o600); err != nil {
		return 0, err
	}
	text, err := exec.Command(compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source, "-lm").
		CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, text)
	}
	lib, err := openLibrary(library)
	return cLibrary(lib), err
}

// prepare returns a function that runs a case on two threads and writes to out.
func (l cLibrary) prepare(c *benchCase, out []byte) (run func() error, ok bool) {
	if l == 0 || !hasSymbol(uintptr(l), c.name) {
		return nil, false
	}
	var kernel func(buffers *unsafe.Pointer, grid *[3]int, part, parts int)
	purego.RegisterLibFunc(&kernel, uintptr(l), c.name)
	buffers := []unsafe.Pointer{unsafe.Pointer(&out[0])}
	for _, b := range c.buffers[1:] {
		buffers = append(buffers, unsafe.Pointer(&b[0]))
	}
	return func() error {
		var both sync.WaitGroup
		for part := range 2 {
			both.Go(func() { kernel(&buffers[0], &c.grid, part, 2) })
		}
		both.Wait()
		return nil
	}, true
}
