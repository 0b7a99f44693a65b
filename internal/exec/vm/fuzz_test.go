package vm

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

// written are the kernels in the test data, which have what random kernels lack: textures,
// matrices, commands, messages.
var written = sync.OnceValues(func() (fs []*ir.Func, err error) {
	for _, pattern := range []string{"../../../testdata/msl/lower/*.ir", "../../../testdata/ir/*.ir", "testdata/*.ir"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			m, err := ir.Parse(string(text))
			if err != nil {
				return nil, err
			}
			fs = append(fs, m.Funcs...)
		}
	}
	return fs, nil
})

const (
	guardByte  = 0xa5
	guardBytes = 1 << 10 // on each side
)

// guarded is memory surrounded by a pattern.
type guarded struct {
	all, data []byte
	fixed     []byte // for read-only memory, its expected contents
}

func newGuarded(rng *rand.Rand, n int) *guarded {
	g := &guarded{all: make([]byte, n+2*guardBytes)}
	for i := range g.all {
		g.all[i] = guardByte
	}
	g.data = g.all[guardBytes : guardBytes+n : guardBytes+n]
	for i := range g.data {
		g.data[i] = byte(rng.Uint32())
	}
	return g
}

func (g *guarded) check(t *testing.T, what string) {
	t.Helper()
	for i, b := range g.all {
		if b != guardByte && (i < guardBytes || i >= guardBytes+len(g.data)) {
			t.Fatalf("byte %d of %s, which has %d, is written", i-guardBytes, what, len(g.data))
		}
	}
	if g.fixed != nil && string(g.fixed) != string(g.data) {
		t.Fatalf("%s, which may only be read, is written", what)
	}
}

// encoder provides indirect command buffers with one command each.
type encoder struct{ mu sync.Mutex }

func (e *encoder) Count(uint64) uint32          { return 1 }
func (e *encoder) At(b uint64, i uint32) uint64 { return b + uint64(i) }
func (e *encoder) Set(uint64, ir.CommandOp, uint64, [3]uint32, [3]uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
}

// fuzzLaunch makes a launch from the fuzzer's bytes, with the memory that it may access.
func fuzzLaunch(m *mutator, f *ir.Func, shape [3]int, rng *rand.Rand) (*exec.Launch, map[string]*guarded) {
	l := &exec.Launch{Group: shape, Space: &exec.Space{}, Fuel: int64(1+m.n(2000)) << 13, Constants: map[int][]byte{}}
	for i := range 3 {
		l.Grid[i] = shape[i] * (1 + m.n(2))
	}
	memory := map[string]*guarded{}
	sizes := []int{1, 3, 8, 64, 100, 1000, 4096, 20000}
	for id := 1; id <= 5; id++ {
		g := newGuarded(rng, sizes[m.n(len(sizes))])
		o := exec.Object{Data: g.data, ReadOnly: m.n(4) == 3}
		if o.ReadOnly {
			g.fixed = slices.Clone(g.data)
		}
		memory["object "+string(rune('0'+id))] = g
		l.Space.Set(uint32(id), o)
	}
	for range len(f.Args) + 4 {
		a := exec.Address(uint32(1+len(l.Buffers)%5), 0)
		switch m.n(8) {
		case 5:
			a += uint64(m.number(0)) & exec.OffsetMask
		case 6:
			a = uint64(m.number(int64(a)))
		case 7:
			a = [...]uint64{0, exec.FirstGlobal << 40, exec.FirstShared << 40, exec.FirstSharedArg << 40, exec.FirstAlloca << 40,
				exec.Address(exec.MaxObject, 0)}[m.n(6)] + uint64(m.n(64))
		}
		l.Buffers = append(l.Buffers, a)
	}
	if m.n(4) != 3 { // addresses and handles where kernels look for them
		if data := memory["object 1"].data; memory["object 1"].fixed == nil {
			for i := 0; i+8 <= len(data); i += 8 {
				binary.LittleEndian.PutUint64(data[i:], exec.Address(uint32(1+i/8%6), uint64(rng.IntN(128))))
			}
		}
	}
	for range m.n(4) {
		l.Threadgroup = append(l.Threadgroup, []int{0, 1, 16, 100, 4096, 32768, -1, 1 << 62}[m.n(8)%(6+m.n(2)*2)])
	}
	formats := []string{"RGBA8Unorm", "R32Float", "RGBA32Float", "R16Sint", "R32Uint", "RG32Uint", "RGBA16Float",
		"Depth32Float", "RGB10A2Unorm", "R8Unorm"}
	for i := range 6 {
		format, _ := texel.ParseFormat(formats[m.n(len(formats))])
		w, h, d := 1+m.n(9), 1+m.n(9), 1+m.n(3)
		var levels [][]byte
		for level := range 1 + m.n(3) {
			g := newGuarded(rng, 16*max(1, w>>level)*max(1, h>>level)*max(1, d>>level)*6/(1+m.n(2)*m.n(5)))
			memory[string(rune('a'+i))+string(rune('0'+level))+" of textures"] = g
			levels = append(levels, g.data)
		}
		l.Space.SetTexture(uint32(1+i), texel.New(format, w, h, d, 6, 1, levels...))
		l.Textures = append(l.Textures, uint64(1+i+m.n(2)*m.n(5)))
		s := ir.SamplerState{}
		l.Space.SetSampler(uint32(1+i), texel.NewSampler(&s))
		l.Samplers = append(l.Samplers, uint64(m.n(8)))
	}
	for _, c := range f.Constants {
		if c.Required || m.n(2) == 1 {
			l.Constants[c.Index] = randomBytes(rng, 32)
		}
	}
	if m.n(2) == 1 {
		l.Commands = &encoder{}
	}
	if m.n(2) == 1 {
		l.Log = func(x *message.Message) { _ = x.Text() }
	}
	return l, memory
}

// guardFrames reserves room on both sides of a frame's variables and of its thread space, in a
// program with allocated places.
func guardFrames(p *lir.Program) {
	for i := range p.Vars {
		if p.Vars[i].Off >= 0 {
			p.Vars[i].Off += guardBytes
		}
	}
	p.FrameBytes += 2 * guardBytes
	for i := range p.Allocas {
		p.Allocas[i] += 64
	}
	p.ThreadBytes += 128
}

// checkFrames checks the room that guardFrames reserved and the gaps between the variables in
// threadgroup memory.
func checkFrames(t *testing.T, g *group) {
	t.Helper()
	for i := range g.strips {
		f := &g.strips[i]
		words := col[uint8](f, 0, g.p.lir.FrameBytes)
		for at, b := range words {
			if b != guardByte && (at < guardBytes || at >= len(words)-guardBytes) {
				t.Fatalf("byte %d of a frame of %d is written", at-guardBytes, len(words)-2*guardBytes)
			}
		}
		for at, b := range f.thread {
			if b != 0 && (at < 64*f.lanes || at >= len(f.thread)-64*f.lanes) {
				t.Fatalf("byte %d of a thread space of %d is written", at-64*f.lanes, len(f.thread)-128*f.lanes)
			}
		}
	}
	for _, o := range slices.Concat(g.objs, g.args) {
		clear(o.Data)
	}
	for i, b := range g.shared {
		if b != 0 {
			t.Fatalf("byte %d of threadgroup memory, which is no variable's, is written", i)
		}
	}
}

// runMutated changes a kernel's code, and runs it if the verifier accepts it. It returns whether
// anything ran.
func runMutated(t *testing.T, seed uint64, changes, launch []byte) (ran bool) {
	rng := rand.New(rand.NewPCG(seed, 11))
	var f *ir.Func
	if fs, err := written(); err != nil {
		t.Fatal(err)
	} else if seed%3 == 0 && len(fs) > 0 {
		f = fs[seed/3%uint64(len(fs))]
	} else {
		f = irtest.Kernel(rng, irtest.Config{Size: 10 + rng.IntN(60), Approx: true}).Funcs[0]
	}
	shapes := [][3]int{{40, 1, 1}, {1, 1, 1}, {32, 1, 1}, {300, 1, 1}, {16, 2, 1}, {4, 4, 4}, {8, 33, 1}}
	shape := shapes[seed/16%uint64(len(shapes))]
	k := exec.NewKernel(f, exec.Options{Backend: Backend{}, Off: opt.All * opt.Pass(seed/8&1)})
	p, err := build.ProgramOfWidth(k.Optimized(), shape, []int{32, 256}[seed/2&1])
	if err != nil {
		return false
	}
	p.Simplify(0)
	m := &mutator{rest: changes, p: p}
	late := m.n(2) == 1 // changes to a program with allocated places
	if late {
		p.Allocate()
	}
	for len(m.rest) > 0 && len(p.Code) > 0 {
		m.change()
	}
	if p.Verify() != nil || late && p.FrameBytes == 0 { // it says that no places are allocated
		return false
	}
	if !late {
		p.Allocate()
		if p.Verify() != nil { // senseless jumps make variables live whose places are shared
			return false
		}
	}
	return runGuarded(t, f, p, launch, rng, seed/4&1 != 0)
}

// runGuarded runs a program with guarded frames in place of a kernel's own, with arguments selected
// by launch and rng, and checks the memory around what it may use. It returns whether the program
// ran; the launch may have been rejected.
func runGuarded(t *testing.T, f *ir.Func, p *lir.Program, launch []byte, rng *rand.Rand, plain bool) bool {
	guardFrames(p)
	l, memory := fuzzLaunch(&mutator{rest: launch, p: p}, f, p.Shape, rng)
	e := exec.NewEngine(1)
	defer e.Close()
	guarded := &guardedBackend{Backend{PlainGo: plain}, t, p, false}
	err := e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: guarded}), l)
	if panicked := (*exec.PanicError)(nil); errors.As(err, &panicked) {
		t.Fatalf("%v\n%s", panicked, panicked.Stack)
	}
	for name, x := range memory {
		x.check(t, name)
	}
	return guarded.ran
}

// guardedBackend runs one program instead of a kernel's own, and checks the room that guardFrames
// reserved.
type guardedBackend struct {
	Backend
	t   *testing.T
	p   *lir.Program
	ran bool
}

func (b *guardedBackend) Compile(c exec.Code) (exec.Program, error) {
	c.LIR = b.p
	p, err := b.Backend.Compile(c)
	if err != nil {
		if !errors.Is(err, exec.ErrUnsupported) {
			b.t.Error(err)
		}
		return nil, err
	}
	return &guardedProgram{p.(*program), b}, nil
}

type guardedProgram struct {
	*program
	b *guardedBackend
}

func (p *guardedProgram) Begin(r *exec.Run) exec.Group {
	p.b.ran = true
	g := newGroup(p.program)
	for i := range g.strips {
		frame := col[uint8](&g.strips[i], 0, p.lir.FrameBytes)
		for at := range guardBytes {
			frame[at], frame[len(frame)-1-at] = guardByte, guardByte
		}
	}
	g.begin(r)
	return &guardedGroup{g, p.b.t}
}

type guardedGroup struct {
	*group
	t *testing.T
}

func (g *guardedGroup) End() exec.Spent {
	checkFrames(g.t, g.group)
	return g.group.End()
}

// FuzzCode: arbitrarily changed code is rejected, or runs without panics and without out-of-bounds
// accesses.
func FuzzCode(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 12))
	for seed := range uint64(60) {
		f.Add(seed, randomBytes(rng, int(seed)%9*3), randomBytes(rng, 40))
	}
	f.Fuzz(func(t *testing.T, seed uint64, changes, launch []byte) {
		if len(changes) <= 256 {
			runMutated(t, seed, changes, launch)
		}
	})
}

// TestMutatedCode runs part of FuzzCode with random numbers: some of the code must be rejected, and
// some must run.
func TestMutatedCode(t *testing.T) {
	ran := 0
	n := 2000
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 13))
		if runMutated(t, rng.Uint64(), randomBytes(rng, 1+rng.IntN(24)), randomBytes(rng, rng.IntN(60))) {
			ran++
		}
	}
	t.Logf("%d of %d run", ran, n)
	require.Greater(t, ran, n/10)
	require.Less(t, ran, n)
}
