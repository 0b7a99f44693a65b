package split_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/ir/split"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var (
	randomKernels = flag.Int("split.kernels", 100, "how many random kernels to split")
	firstKernel   = flag.Uint64("split.first", 1, "seed of the first")
)

// phases runs a split kernel until its grid has ended, and returns the number of launches.
func phases(l testlaunch.Launch, k *split.Kernel, f *ir.Func, run runner, most int) (int, error) {
	grid, group := l.Grid, l.Group
	threads, groups := int64(1), int64(1)
	for i := range 3 {
		threads *= int64(max(grid[i], 1))
		groups *= int64((max(grid[i], 1) + max(group[i], 1) - 1) / max(group[i], 1))
	}
	frame := make([]byte, k.FrameBytes(threads, groups))
	for i := range frame {
		frame[i] = 0xa5 // what no kernel may rely on
	}
	control := make([]byte, int(k.ControlBytes)*(most+2))
	control[0] = 1
	l.Buffers = maps.Clone(l.Buffers)
	l.Buffers[k.Frame] = testlaunch.Buffer{Data: frame}
	for n := 0; ; n++ {
		if binary.LittleEndian.Uint32(control[n*int(k.ControlBytes):]) == 0 {
			return n, nil
		}
		if n > most {
			return n, fmt.Errorf("more than %d phases", most)
		}
		l.Buffers[k.Control] = testlaunch.Buffer{Data: control, Offset: n * int(k.ControlBytes)}
		if err := l.Run(context.Background(), f, run); err != nil {
			return n, err
		}
	}
}

type runner func(context.Context, *ir.Func, *exec.Launch) error

// TestRandomKernels splits random kernels with grid barriers, and compares the results with those
// of the oracle, which executes the barriers; likewise those of the split kernel printed as source.
func TestRandomKernels(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	quick := func(ctx context.Context, f *ir.Func, l *exec.Launch) error {
		return e.Run(ctx, exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l)
	}
	launches, barriers, spilled, printed := 0, 0, int64(0), 0
	for seed := *firstKernel; seed < *firstKernel+uint64(*randomKernels); seed++ {
		rng := rand.New(rand.NewPCG(seed, 18))
		m := irtest.Kernel(rng, irtest.Config{Size: 10 + rng.IntN(80), Grid: 2 + rng.IntN(10)})
		f := m.Funcs[0]
		before := f.String()
		k, err := split.Split(f)
		require.NoError(t, err, "seed %d\n%s", seed, before)
		require.Equal(t, before, f.String())
		require.NoError(t, k.Func.Verify(), "seed %d\n%s\n%s", seed, before, k.Func)
		l := testlaunch.Launch{Grid: [3]int{40, 1, 1}, Group: [3]int{33, 1, 1}, Fuel: 1 << 36,
			Buffers: map[int]testlaunch.Buffer{}}
		if seed%3 == 0 {
			l.Grid, l.Group = [3]int{7, 3, 2}, [3]int{4, 2, 2}
		}
		in := make([]byte, irtest.Inputs)
		for i := range in {
			in[i] = byte(rng.Uint32())
		}
		l.Buffers[0] = testlaunch.Buffer{Data: in, ReadOnly: true}
		l.Buffers[1] = testlaunch.Buffer{Data: make([]byte, l.Grid[0]*l.Grid[1]*l.Grid[2]*irtest.OutStride)}
		l.Buffers[2] = testlaunch.Buffer{Data: make([]byte, irtest.CounterBytes)}
		want := l.Clone()
		require.NoError(t, want.Run(context.Background(), f, ref.Run))
		same := func(what string, have *testlaunch.Launch) {
			for slot := 1; slot <= 2; slot++ {
				if at := exectest.Differ(want.Buffers[slot].Data, have.Buffers[slot].Data); at >= 0 {
					require.Fail(t, "different results", "seed %d, %s: buffer %d, byte %d: %x, split %x\n%s\n%s", seed, what, slot,
						at, want.Buffers[slot].Data[at:at+4], have.Buffers[slot].Data[at:at+4], before, k.Func)
				}
			}
		}
		have := l.Clone()
		n, err := phases(*have, k, k.Func, quick, 1000)
		require.NoError(t, err, "seed %d", seed)
		same("interpreted", have)
		launches += n
		barriers += k.Phases - 1
		spilled += k.ThreadBytes
		if text, err := mslprint.Kernel(k.Func); err == nil {
			printed++
			again, diags := msl.Compile(context.Background(), msl.Source{Text: text},
				msl.Options{Math: "safe", NoWarnings: true})
			require.Empty(t, diags, "seed %d\n%s", seed, text)
			have := l.Clone()
			_, err := phases(*have, k, again.IR.Func(f.Name), quick, 1000)
			require.NoError(t, err, "seed %d", seed)
			same("printed", have)
		}
	}
	require.Greater(t, barriers, *randomKernels)
	t.Logf("%d kernels with %d barriers: %d launches, %d bytes kept per thread and kernel; %d printed", *randomKernels,
		barriers, launches, spilled/int64(*randomKernels), printed)
}
