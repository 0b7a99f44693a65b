package jit

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// soloKernels are kernels whose loops lanes can run solo. data has any bits; row has the numbers of
// elements of some length, and of none.
const soloKernels = `
#define ARGUMENTS device float *out [[buffer(0)]], device const float *data [[buffer(1)]], \
    device const uint *row [[buffer(2)]], constant int &n [[buffer(3)]], uint i [[thread_position_in_grid]]
kernel void product(ARGUMENTS) { // of a sparse matrix: some columns do not exist
  device const uint *column = (device const uint *)data + 3;
  float s = 0;
  for (uint k = row[i]; k < row[i + 1]; k++) s += data[k] * data[column[k] & 4095];
  out[i] = s;
}
kernel void back(ARGUMENTS) { // elements before an index, which becomes negative
  int k = int(row[i]) - 20;
  float s = data[i];
  while (k > -30 && data[k - 1] != 0.25f) { s = s * 0.5f + data[k + 3]; k--; }
  out[i] = s + k;
}
kernel void halves(ARGUMENTS) {
  device const half *h = (device const half *)data + n;
  device const uchar *b = (device const uchar *)data + 1;
  float s = 0;
  for (uint k = row[i]; k < row[i + 1]; k++) s += float(h[k]) * data[b[k]] + as_type<short>(h[k + 5]);
  out[i] = s;
}
kernel void changes(ARGUMENTS) { // what an iteration has changed when it turns out to be the last
  uint k = row[i], last = 0;
  const uint end = k + 120;
  float s = 1;
  do {
    last = k;
    k += 3;
    s += fabs(data[last & 4095]);
  } while (s < 9 + n && k < end);
  out[i] = s + last * 2 + k;
}
kernel void breaks(ARGUMENTS) {
  uint k = row[i], found = 7;
  for (; k < row[i] + 30; k++) {
    float x = data[k];
    if (x > 0.75f) { found = k; break; }
    if (x == 0.5f) { found = uint(exp(x) * 8); break; }
    if (x < -0.5f) break;
    found ^= as_type<uint>(x);
  }
  out[i] = found + k * 3;
}
kernel void nested(ARGUMENTS) {
  float s = 0;
  for (uint r = i % 5; r < 8; r++) {
    if (row[r + i] % 4 == 1) continue;
    for (uint k = row[r + i]; k < row[r + i] + r; k++) s += data[k] * data[k * 3 & 1023];
  }
  out[i] = s;
}
kernel void fields(ARGUMENTS) { // 12 and 8 bytes apart
  struct Point { packed_float3 at; };
  struct Pair { float a, b; };
  device const Point *p = (device const Point *)data + n;
  device const Pair *q = (device const Pair *)data;
  float s = 0;
  for (uint k = row[i]; k < row[i + 1]; k++) s = max(s, p[k].at.y - q[k].b) + (s < q[k].a ? 1.5f : n);
  out[i] = s;
}
kernel void longest(ARGUMENTS) { // more iterations than a lane may run solo at once
  uint s = 0;
  for (uint k = row[i]; k < 1500 + row[i + 1]; k++) s = s * 31 + as_type<uint>(data[k * 5 & 2047]);
  out[i] = as_type<float>(s);
}
kernel void flags(ARGUMENTS) { // a truth value that the last iteration reads from before
  uint k = row[i];
  bool odd = false, before = false;
  while (k < row[i + 1] && data[k] != 1) {
    before = odd;
    odd = k % 3 != 0;
    k++;
  }
  out[i] = k * 4 + (odd ? 2 : 0) + (before ? 1 : 0);
}
kernel void some(ARGUMENTS) { // not all lanes enter, and none changes what the others have
  float a = data[i], b = a * 3, c = b + data[i + 1], s = 0;
  if (i % 3 != 0)
    for (uint k = row[i]; k < row[i + 1]; k++) s += data[k] * data[k ^ 5] - b;
  out[i] = a + b * c + s;
}
`

// soloLaunch returns what makes a launch of such a kernel, with threadgroups of a size and a number
// for n, and its results.
func soloLaunch() func(group int, n uint32) (l *exec.Launch, out []byte) {
	data, row := make([]byte, 4*4096), make([]byte, 4*700)
	state := uint32(1)
	random := func() uint32 {
		state = state*1664525 + 1013904223
		return state >> 8
	}
	for i := range len(data) / 4 {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(int(random()%9)-3)/4))
	}
	at := uint32(0)
	for i := range len(row) / 4 {
		binary.LittleEndian.PutUint32(row[4*i:], at)
		at = (at + random()%4*(random()%12)) % 4200
	}
	return func(group int, n uint32) (l *exec.Launch, out []byte) {
		out = make([]byte, 4*600)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: out})
		sp.Set(2, exec.Object{Data: data[:4*4000], ReadOnly: true})
		sp.Set(3, exec.Object{Data: row, ReadOnly: true})
		sp.Set(4, exec.Object{Data: words(n), ReadOnly: true})
		return &exec.Launch{Grid: [3]int{600}, Group: [3]int{group}, Space: sp, Buffers: []uint64{exec.Address(1, 0),
			exec.Address(2, 64), exec.Address(3, 0), exec.Address(4, 0)}}, out
	}
}

// TestMachineCodeSolo: loops that lanes run solo give the interpreter's bits, whatever of them the
// vectors must do.
func TestMachineCodeSolo(t *testing.T) {
	needMachineCode(t)
	launch := soloLaunch()
	e := exec.NewEngine(1)
	defer e.Close()
	for name, kernel := range kernelsOf(t, soloKernels) {
		for _, group := range []int{1, 100, 256} {
			for _, n := range []uint32{0, 5, 1<<32 - 3} {
				run := func(k *exec.Kernel) []byte {
					l, out := launch(group, n)
					require.NoError(t, e.Run(t.Context(), k, l))
					return out
				}
				want := run(kernel)
				for _, o := range machineCodes(Options{}, Options{Solo: true}, Options{Solo: true, Blocks: 1},
					Options{Solo: true, Blocks: 4, Spill: true}, Options{Solo: true, Cold: true},
					Options{Solo: true, Starve: true}) {
					k := exec.NewKernel(kernel.Func(), exec.Options{Backend: backend{Machine: o}})
					require.Equal(t, want, run(k), "%s, %v, %d, %+v", name, group, int32(n), o)
				}
			}
		}
	}
}

// TestMachineCodeSoloLoops: lanes run solo what is worth it, and all that can be where that is
// forced.
func TestMachineCodeSoloLoops(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, soloKernels+`
kernel void chase(ARGUMENTS) { // an address that comes from the element before: vectors wait for 16 at once
  device const uint *next = (device const uint *)data;
  uint k = row[i];
  while (k > uint(n)) k = next[k];
  out[i] = k;
}
kernel void stores(ARGUMENTS) {
  for (uint k = row[i]; k < row[i + 1]; k++) out[k] = data[row[k]];
}
kernel void last(ARGUMENTS) { // lanes could notice in which order they store
  for (uint k = row[i]; k < row[i + 1]; k++) if (data[row[k]] > 1) { out[k] = 1; break; }
}
kernel void branches(ARGUMENTS) {
  float s = 0;
  for (uint k = row[i]; k < row[i + 1]; k++) if (data[k] > s) s += data[row[k]];
  out[i] = s;
}
`)
	loops := func(name string, o Options) (n int) {
		b := backend{Machine: o, compiled: func(list []*Range) {
			for _, r := range list {
				n += r.Solo
			}
		}}
		_, err := compiled(exec.NewKernel(ks[name].Func(), exec.Options{Backend: b}), [3]int{256, 1, 1})
		require.NoError(t, err)
		return n
	}
	for _, x := range []struct {
		name                     string
		worth, worthAVX2, forced int
	}{
		{"product", 1, 1, 1}, {"back", 0, 1, 1}, {"halves", 1, 1, 1}, {"changes", 0, 0, 1}, {"breaks", 0, 0, 1},
		{"nested", 1, 1, 1}, {"fields", 0, 1, 1}, {"longest", 0, 0, 1}, {"some", 1, 1, 1}, {"chase", 0, 0, 1},
		{"flags", 0, 0, 0}, {"stores", 0, 0, 0}, {"last", 0, 0, 0}, {"branches", 0, 0, 0},
	} {
		for _, o := range machineCodes(Options{}) {
			worth := x.worth
			if o.Vectors() != Fastest {
				worth = x.worthAVX2
			}
			require.Equal(t, worth, loops(x.name, o), "%s, %+v", x.name, o)
			o.Solo = true
			require.Equal(t, x.forced, loops(x.name, o), "%s, %+v", x.name, o)
		}
	}
}
