package mslprint_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
	"github.com/puremetal/puremetal/sanitizer"
)

var (
	randomKernels = flag.Int("mslprint.kernels", 300, "how many random kernels to print")
	firstKernel   = flag.Uint64("mslprint.first", 1, "seed of the first")
)

// TestRandomKernels prints random kernels and compares the results of the text with the kernel's.
// They may differ if a lane takes an operand from one that never computed it: that value is
// undefined, and the text may compute a constant before the kernel does.
func TestRandomKernels(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	printed, refused := 0, map[string]int{}
	for seed := *firstKernel; seed < *firstKernel+uint64(*randomKernels); seed++ {
		rng := rand.New(rand.NewPCG(seed, 5))
		f := irtest.Kernel(rng, irtest.Config{Size: 5 + rng.IntN(60), Constants: int(seed % 5)}).Funcs[0]
		text, err := mslprint.Kernel(f)
		if err != nil {
			var u *mslprint.Unsupported
			require.True(t, errors.As(err, &u), "%v", err)
			refused[u.What]++
			continue
		}
		printed++
		m, diags := msl.Compile(context.Background(), msl.Source{Text: text}, msl.Options{Math: "safe", Verify: true,
			NoWarnings: true})
		require.Empty(t, diags, "seed %d\n%s", seed, text)
		in := make([]byte, irtest.Inputs)
		for i := range in {
			in[i] = byte(rng.Uint32())
		}
		want := runRandom(t, e, f, in, nil)
		have := runRandom(t, e, m.IR.Func(f.Name), in, nil)
		for i := range want {
			at := exectest.Differ(want[i], have[i])
			if at < 0 {
				continue
			}
			watch := sanitize.New(sanitizer.Simd, nil)
			if runRandom(t, e, f, in, watch); len(watch.Findings()) == 0 {
				require.Fail(t, "different results", "seed %d: buffer %d, byte %d: %x, printed %x\n%s\n%s", seed, i+1, at,
					want[i][at:at+4], have[i][at:at+4], f.String(), text)
			}
		}
	}
	t.Logf("%d of %d printed", printed, *randomKernels)
	for what, n := range refused {
		t.Logf("refused: %d with %s", n, what)
	}
	require.Greater(t, printed, *randomKernels/3)
}

// runRandom runs a random kernel and returns what it leaves in its buffers.
func runRandom(t *testing.T, e *exec.Engine, f *ir.Func, in []byte, watch *sanitize.Sanitizer) [][]byte {
	t.Helper()
	const threads = 40
	l := testlaunch.Launch{Grid: [3]int{threads, 1, 1}, Group: [3]int{33, 1, 1}, Fuel: 1 << 36,
		Buffers: map[int]testlaunch.Buffer{0: {Data: in, ReadOnly: true},
			1: {Data: make([]byte, threads*irtest.OutStride)}, 2: {Data: make([]byte, irtest.CounterBytes)}}}
	require.NoError(t, l.Run(context.Background(), f, func(ctx context.Context, f *ir.Func, l *exec.Launch) error {
		if watch != nil {
			l.Hook = watch.Launch(l)
		}
		return e.Run(ctx, exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l)
	}))
	return [][]byte{l.Buffers[1].Data, l.Buffers[2].Data}
}
