// Package exectest runs kernels on both engines, for tests: the scalar oracle (package ref) and the
// vector engine (package vm) must produce the same bits.
package exectest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// Way is a configuration for running a kernel on the vector engine.
type Way struct {
	vm.Backend
	Off     opt.Pass // optimization passes to omit
	OffLow  lir.Pass // low-level passes to omit
	Known   []opt.FConst
	Workers int // 0 is 1
}

// Options returns the options of the way's kernels.
func (w *Way) Options() exec.Options {
	return exec.Options{Backend: w.Backend, Off: w.Off, OffLow: w.OffLow, Constants: w.Known}
}

// Plain and Quick are the two most different configurations: without and with the optimization
// passes and the assembly loops, with strips of one simdgroup and of the maximum number, with two
// workers and with one.
var (
	Plain = Way{Backend: vm.Backend{Strip: lir.SimdWidth, PlainGo: true}, Off: opt.All, OffLow: lir.AllPasses, Workers: 2}
	Quick = Way{}
)

// EveryWay returns all combinations of strips of one simdgroup or the maximum, with and without
// passes, and with one worker or two, and ways with machine code.
func EveryWay() (ways []Way) {
	for _, lanes := range []int{lir.MaxLanes, lir.SimdWidth} {
		for _, off := range []opt.Pass{0, opt.All} {
			for workers := 1; workers <= 2; workers++ {
				ways = append(ways, Way{
					Backend: vm.Backend{Strip: lanes, PlainGo: off != 0 && lanes == lir.SimdWidth},
					Off:     off,
					OffLow:  lir.AllPasses * lir.Pass(off/opt.All),
					Workers: workers,
				})
			}
		}
	}
	for _, o := range []jit.Options{{}, {Blocks: 1}, {Spill: true, Cold: true}, {AVX2: true}, {AVX2: true, Blocks: 1}} {
		ways = append(ways, Way{Backend: vm.Backend{Machine: o}, Workers: 2})
	}
	return ways
}

// Run runs an entry point on the oracle, with the launch's own memory, and on the vector engine,
// with a copy of the initial memory, once per way, or only the quick way if none are given. It
// fails the test if a run fails or if they leave different results.
func Run(t testing.TB, f *ir.Func, l testlaunch.Launch, ways ...Way) {
	t.Helper()
	before := l.Clone()
	var want messages
	l.Log = want.add
	if err := l.Run(context.Background(), f, ref.Run); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if len(ways) == 0 {
		ways = []Way{Quick}
	}
	for _, w := range ways {
		c := before.Clone()
		var have messages
		c.Log = have.add
		err := w.Run(f, c)
		if err != nil {
			t.Errorf("%s on the vector engine, %+v: %v", f.Name, w, err)
			continue
		}
		compare(t, fmt.Sprintf("%s, %+v", f.Name, w), &l, c)
		want.compare(t, fmt.Sprintf("%s, %+v", f.Name, w), &have)
	}
}

// Run runs an entry point on the vector engine.
func (w *Way) Run(f *ir.Func, l *testlaunch.Launch) error {
	e := exec.NewEngine(max(w.Workers, 1))
	defer e.Close()
	return l.Run(context.Background(), f, func(ctx context.Context, f *ir.Func, l *exec.Launch) error {
		return e.Run(ctx, exec.NewKernel(f, w.Options()), l)
	})
}

// messages collects the log messages of a launch, one line each.
type messages struct {
	mu    sync.Mutex
	lines []string
}

func (m *messages) add(x *message.Message) {
	line := fmt.Sprintf("threadgroup %d, thread %v, log %d, %s: %s", x.Group, x.Thread, x.Log, x.Level(), x.Text())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, line)
}

// compare fails the test if two launches write different messages. Their order is unspecified.
func (m *messages) compare(t testing.TB, name string, have *messages) {
	t.Helper()
	slices.Sort(m.lines)
	slices.Sort(have.lines)
	for i := range max(len(m.lines), len(have.lines)) {
		if i >= len(m.lines) || i >= len(have.lines) || m.lines[i] != have.lines[i] {
			t.Errorf("%s: the oracle has %d messages and the vector engine %d; number %d is %q and %q", name, len(m.lines),
				len(have.lines), i,
				append(m.lines, make([]string, i+1)...)[i], append(have.lines, make([]string, i+1)...)[i])
			return
		}
	}
}

// compare fails the test if the vector engine left results different from the oracle's.
func compare(t testing.TB, name string, l, c *testlaunch.Launch) {
	t.Helper()
	same := func(what string, slot int, want, have []byte) {
		t.Helper()
		if at := Differ(want, have); at >= 0 {
			t.Errorf("%s: %s %d: byte %d: the vector engine has %x, the oracle %x", name, what, slot, at,
				have[at:min(at+16, len(have))], want[at:min(at+16, len(want))])
		}
	}
	for slot, b := range l.Buffers {
		same("buffer", slot, b.Data, c.Buffers[slot].Data)
	}
	textures := func(what string, handle int, x, y *testlaunch.Texture) {
		t.Helper()
		if x == nil {
			return
		}
		for i := range y.Levels {
			same(fmt.Sprintf("level %d of %s", i, what), handle, x.Levels[i], y.Levels[i])
		}
	}
	for slot, x := range l.Textures {
		textures("texture", slot, x, c.Textures[slot])
	}
	for handle, x := range l.ResidentTextures {
		textures("resident texture", int(handle), x, c.ResidentTextures[handle])
	}
	for handle, b := range l.CommandBuffers {
		if want, have := fmt.Sprintf("%+v", *b), fmt.Sprintf("%+v", *c.CommandBuffers[handle]); want != have {
			t.Errorf("%s: the vector engine encodes %s, the oracle %s", name, have, want)
		}
	}
	for id, data := range l.Resident {
		same("resident buffer", int(id), data, c.Resident[id])
	}
}

// Differ returns the index of the first word in which two memories of the same length differ, or -1
// if they are equal. Words that are both NaNs, or whose differing halves are NaNs, count as equal,
// since it is unspecified which NaN an operation gives.
func Differ(want, have []byte) int {
	if bytes.Equal(want, have) {
		return -1
	}
	for i := 0; i < len(want); i += 4 {
		var a, b [4]byte
		copy(a[:], want[i:])
		copy(b[:], have[i:])
		x, y := binary.LittleEndian.Uint32(a[:]), binary.LittleEndian.Uint32(b[:])
		if x != y && !(isNaN(ir.F32, x) && isNaN(ir.F32, y)) && !(sameHalf(x&0xffff, y&0xffff) && sameHalf(x>>16, y>>16)) {
			return i
		}
	}
	return -1
}

func isNaN(k ir.Kind, x uint32) bool {
	f := ir.BitsFloat(k, uint64(x))
	return f != f
}

func sameHalf(x, y uint32) bool {
	return x == y || isNaN(ir.F16, x) && isNaN(ir.F16, y) || isNaN(ir.BF16, x) && isNaN(ir.BF16, y)
}
