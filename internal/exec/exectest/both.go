// Package exectest runs kernels on both engines, for tests: on the scalar oracle (package ref) and on the vector engine (package vm), which must leave the same bits.
package exectest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// Way is one of the ways to run a kernel on the vector engine.
type Way struct {
	vm.KernelOptions
	Workers int // 0 is 1
}

// Plain and Quick are the ways that have the least in common: without and with the passes over the kernel and the loops in assembly, with strips of one simdgroup and of the
// most, with two workers and with one.
var (
	Plain = Way{vm.KernelOptions{Lanes: lir.SimdWidth, Off: opt.All, OffLow: lir.AllPasses, PlainGo: true}, 2}
	Quick = Way{}
)

// EveryWay returns all of strips of one simdgroup or of the most, with passes and without, with one worker and with two.
func EveryWay() (ways []Way) {
	for _, lanes := range []int{lir.MaxLanes, lir.SimdWidth} {
		for _, off := range []opt.Pass{0, opt.All} {
			for workers := 1; workers <= 2; workers++ {
				ways = append(ways, Way{vm.KernelOptions{Lanes: lanes, Off: off, OffLow: lir.AllPasses * lir.Pass(off/opt.All), PlainGo: off != 0 && lanes == lir.SimdWidth}, workers})
			}
		}
	}
	return ways
}

// Run runs an entry point on the oracle, with a launch's own memory, and on the vector engine, with a copy of what was there before: in each of the ways, or the quick one if
// there are none. It fails the test if one of them fails, or if they leave anything different.
func Run(t testing.TB, f *ir.Func, l ref.Launch, ways ...Way) {
	t.Helper()
	before := copied(&l)
	var want messages
	l.Log = want.add
	if err := ref.Run(context.Background(), f, l); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if len(ways) == 0 {
		ways = []Way{Quick}
	}
	for _, w := range ways {
		c := copied(&before)
		var have messages
		c.Log = have.add
		e := vm.NewEngine(max(w.Workers, 1))
		err := e.Run(context.Background(), vm.NewKernelWith(f, w.KernelOptions), Launch(t, &c))
		e.Close()
		if err != nil {
			t.Errorf("%s on the vector engine, %+v: %v", f.Name, w, err)
			continue
		}
		compare(t, fmt.Sprintf("%s, %+v", f.Name, w), &l, &c)
		want.compare(t, fmt.Sprintf("%s, %+v", f.Name, w), &have)
	}
}

// messages are what a launch writes to logs, one line each.
type messages struct {
	mu    sync.Mutex
	lines []string
}

func (m *messages) add(x *message.Message) {
	line := fmt.Sprintf("threadgroup %d, log %d, %s: %s", x.Group, x.Log, x.Level(), x.Text())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, line)
}

// compare fails the test where two launches write different messages. Their order is nobody's promise.
func (m *messages) compare(t testing.TB, name string, have *messages) {
	t.Helper()
	slices.Sort(m.lines)
	slices.Sort(have.lines)
	for i := range max(len(m.lines), len(have.lines)) {
		if i >= len(m.lines) || i >= len(have.lines) || m.lines[i] != have.lines[i] {
			t.Errorf("%s: of %d messages of the oracle and %d of the vector engine, number %d is %q and %q", name, len(m.lines), len(have.lines), i,
				append(m.lines, make([]string, i+1)...)[i], append(have.lines, make([]string, i+1)...)[i])
			return
		}
	}
}

// compare fails the test where the vector engine left something else than the oracle.
func compare(t testing.TB, name string, l, c *ref.Launch) {
	t.Helper()
	same := func(what string, slot int, want, have []byte) {
		t.Helper()
		if at := Differ(want, have); at >= 0 {
			t.Errorf("%s: %s %d: byte %d: the vector engine has %x, the oracle %x", name, what, slot, at, have[at:min(at+16, len(have))], want[at:min(at+16, len(want))])
		}
	}
	for slot, b := range l.Buffers {
		same("buffer", slot, b.Data, c.Buffers[slot].Data)
	}
	textures := func(what string, handle int, x, y *ref.Texture) {
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

// Differ returns the place of the first word in which two memories of one length differ, -1 if they do not. Words that are NaNs, or of which the halves that
// differ are NaNs, are the same: which NaN an operation gives is not specified.
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

// copied returns a launch with memory of its own.
func copied(l *ref.Launch) ref.Launch {
	c := *l
	c.Buffers = maps.Clone(l.Buffers)
	for slot, b := range c.Buffers {
		b.Data = slices.Clone(b.Data)
		c.Buffers[slot] = b
	}
	c.Resident = maps.Clone(l.Resident)
	for id, data := range c.Resident {
		c.Resident[id] = slices.Clone(data)
	}
	c.Textures = maps.Clone(l.Textures)
	for slot, x := range c.Textures {
		c.Textures[slot] = copiedTexture(x)
	}
	c.CommandBuffers = maps.Clone(l.CommandBuffers)
	for handle, b := range c.CommandBuffers {
		c.CommandBuffers[handle] = b.Clone()
	}
	c.ResidentTextures = maps.Clone(l.ResidentTextures)
	for handle, x := range c.ResidentTextures {
		c.ResidentTextures[handle] = copiedTexture(x)
	}
	return c
}

func copiedTexture(x *ref.Texture) *ref.Texture {
	if x == nil {
		return nil
	}
	c := *x
	c.Levels = nil
	for _, data := range x.Levels {
		c.Levels = append(c.Levels, slices.Clone(data))
	}
	return &c
}

// Launch returns the vector engine's form of a launch: addresses are the same.
func Launch(t testing.TB, l *ref.Launch) *vm.Launch {
	v := &vm.Launch{Grid: l.Grid, Group: l.Group, Space: &vm.Space{}, Constants: l.Constants, Fuel: l.Fuel, Log: l.Log}
	for slot, b := range l.Buffers {
		id := uint32(1 + slot)
		v.Space.Set(id, vm.Object{Data: b.Data, ReadOnly: b.ReadOnly})
		v.Buffers = put(v.Buffers, slot, vm.Address(id, uint64(b.Offset)))
	}
	for id, data := range l.Resident {
		v.Space.Set(id, vm.Object{Data: data})
	}
	const slots = 1 << 16 // handles of what is bound to slots are above those that argument buffers hold
	texture := func(handle uint32, x *ref.Texture) {
		image, err := x.Image()
		if err != nil {
			t.Fatal(err)
		}
		v.Space.SetTexture(handle, image)
	}
	for slot, x := range l.Textures {
		if x != nil {
			texture(uint32(slots+slot), x)
			v.Textures = put(v.Textures, slot, uint64(slots+slot))
		}
	}
	for handle, x := range l.ResidentTextures {
		if handle >= slots {
			t.Fatalf("the handle %#x of a texture is too large", handle)
		}
		texture(uint32(handle), x)
	}
	for slot, s := range l.Samplers {
		v.Space.SetSampler(uint32(slots+slot), texel.NewSampler(&s))
		v.Samplers = put(v.Samplers, slot, uint64(slots+slot))
	}
	if l.CommandBuffers != nil {
		v.Commands = l.CommandBuffers
	}
	for slot, n := range l.ThreadgroupMemory {
		v.Threadgroup = put(v.Threadgroup, slot, n)
	}
	return v
}

// put sets element i of a list that it makes long enough.
func put[T any](list []T, i int, x T) []T {
	for len(list) <= i {
		list = append(list, *new(T))
	}
	list[i] = x
	return list
}
