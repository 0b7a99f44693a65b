package kernels

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// work is a calculation: the initial memory, the launches, and the same calculation in plain Go.
type work struct {
	name      string // unique within one test, with the size
	file      string // below testdata/kernels
	constants map[int][]byte
	buffers   map[string][]byte
	textures  map[string]*testlaunch.Texture
	launch    func(d *device)
	plain     func() []result // the expected contents of buffers and textures
	large     bool            // too slow for the oracle
}

// result is the expected final contents of a buffer, or of level 0 of a texture. Without a
// tolerance, it must match bit for bit.
type result struct {
	name     string
	want     any     // a slice of numbers; float64 if there is a tolerance
	kind     ir.Kind // of the numbers in memory, if there is a tolerance
	absolute float64
	relative float64 // relative to the expected number
}

// device runs launches on one engine, with its own memory.
type device struct {
	t         testing.TB
	name      string
	module    *msl.Module
	engine    *exec.Engine // nil for the oracle
	kernels   map[string]*exec.Kernel
	others    map[string]*exec.Kernel // of another module
	constants map[int][]byte
	buffers   map[string][]byte
	resident  []string // the buffers that have addresses
	textures  map[string]*testlaunch.Texture
	ran       func(name string, k *exec.Kernel, l *exec.Launch) // called after each launch on an engine, if not nil
	begins    func(f *ir.Func, l *testlaunch.Launch)            // called before each launch, if not nil
}

// Arguments of launches. A string names a buffer or texture; numbers, arrays and structs of numbers
// are copied as setBytes would.
type (
	local int // bytes of threadgroup memory
	part  struct {
		buffer string
		offset int
	}
	texture string
)

// run runs a kernel. Buffers and constants take slots in order, as do threadgroup memory and
// textures.
func (d *device) run(kernel string, grid, group [3]int, args ...any) {
	d.t.Helper()
	l := testlaunch.Launch{Grid: grid, Group: group, Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: map[int]int{}, Textures: map[int]*testlaunch.Texture{},
		Resident: map[uint32][]byte{}, Constants: d.constants, Fuel: 1 << 45}
	for i, name := range d.resident {
		l.Resident[testlaunch.MinResident+uint32(i)] = d.buffers[name]
	}
	slot := 0
	bind := func(b testlaunch.Buffer) {
		if b.Data == nil {
			d.t.Fatalf("%s: no buffer for slot %d", kernel, slot)
		}
		l.Buffers[slot] = b
		slot++
	}
	for _, a := range args {
		switch a := a.(type) {
		case string:
			bind(testlaunch.Buffer{Data: d.buffers[a]})
		case part:
			bind(testlaunch.Buffer{Data: d.buffers[a.buffer], Offset: a.offset})
		case local:
			l.ThreadgroupMemory[len(l.ThreadgroupMemory)] = int(a)
		case texture:
			l.Textures[len(l.Textures)] = d.textures[string(a)]
		default:
			bind(testlaunch.Buffer{Data: encode(a), ReadOnly: true})
		}
	}
	f := d.module.IR.Func(kernel)
	if f == nil {
		d.t.Fatalf("no kernel %s", kernel)
	}
	if d.begins != nil {
		d.begins(f, &l)
	}
	var err error
	if d.engine == nil {
		err = l.Run(context.Background(), f, ref.Run)
	} else {
		if d.kernels[kernel] == nil {
			d.kernels[kernel] = exec.NewKernel(f, exec.Options{Backend: vm.Backend{}})
		}
		launch, prepared := l.Exec()
		if prepared != nil {
			d.t.Fatal(prepared)
		}
		if err = d.engine.Run(context.Background(), d.kernels[kernel], launch); err == nil && d.ran != nil {
			d.ran(kernel, d.kernels[kernel], launch)
		}
	}
	if err != nil {
		d.t.Fatalf("%s on %s: %v", kernel, d.name, err)
	}
}

// address returns the value that an argument buffer stores to point to a buffer. It is the same on
// all devices.
func (w *work) address(name string, offset int) uint64 {
	i := slices.Index(slices.Sorted(maps.Keys(w.buffers)), name)
	return exec.Address(testlaunch.MinResident+uint32(i), uint64(offset))
}

// scratch adds a buffer of zeros without an address to the device.
func (d *device) scratch(name string, size int) string {
	d.buffers[name] = make([]byte, size)
	return name
}

// on returns a device for an engine, or for the oracle without one, with a copy of w's memory.
func (w *work) on(t testing.TB, m *msl.Module, name string, e *exec.Engine) *device {
	d := &device{t: t, name: name, module: m, engine: e, kernels: map[string]*exec.Kernel{},
		others: map[string]*exec.Kernel{}, constants: w.constants, buffers: map[string][]byte{},
		textures: map[string]*testlaunch.Texture{},
		resident: slices.Sorted(maps.Keys(w.buffers))}
	for n, data := range w.buffers {
		d.buffers[n] = slices.Clone(data)
	}
	for n, x := range w.textures {
		c := *x
		c.Levels = [][]byte{slices.Clone(x.Levels[0])}
		d.textures[n] = &c
	}
	return d
}

// test runs works on all engines and compares the results.
func test(t *testing.T, works ...*work) {
	t.Helper()
	one, two := exec.NewEngine(1), exec.NewEngine(2)
	defer one.Close()
	defer two.Close()
	for _, w := range works {
		t.Run(w.name, func(t *testing.T) {
			m := compiled(t, w.file)
			devices := []*device{w.on(t, m, "one worker", one), w.on(t, m, "two workers", two)}
			if !w.large {
				devices = append(devices, w.on(t, m, "the oracle", nil))
			}
			for _, d := range devices {
				w.launch(d)
			}
			for _, r := range w.plain() {
				devices[0].compare(r)
			}
			for _, d := range devices[1:] {
				d.same(devices[0])
			}
		})
	}
}

// same reports where a device's memory differs from another's.
func (d *device) same(o *device) {
	d.t.Helper()
	differ := func(name string, x, y []byte) {
		d.t.Helper()
		if at := exectest.Differ(x, y); at >= 0 {
			d.t.Errorf("%s: byte %d: %s has %x, %s %x", name, at, d.name, x[at:min(at+16, len(x))], o.name,
				y[at:min(at+16, len(y))])
		}
	}
	for name, x := range d.buffers {
		differ(name, x, o.buffers[name])
	}
	for name, x := range d.textures {
		differ(name, x.Levels[0], o.textures[name].Levels[0])
	}
}

// compare reports where memory differs from the expected contents.
func (d *device) compare(r result) {
	d.t.Helper()
	have := d.buffers[r.name]
	if x := d.textures[r.name]; x != nil {
		have = x.Levels[0]
	}
	want, ok := r.want.([]float64)
	if !ok {
		if b := encode(r.want); !bytes.Equal(b, have[:min(len(b), len(have))]) {
			at := 0
			for at < len(have) && have[at] == b[at] {
				at++
			}
			d.t.Errorf("%s: byte %d: %x, want %x", r.name, at, have[at:min(at+16, len(have))], b[at:min(at+16, len(b))])
		}
		return
	}
	numbers := decode(r.kind, have)
	if len(numbers) < len(want) {
		d.t.Fatalf("%s holds %d numbers, want %d", r.name, len(numbers), len(want))
	}
	worst, bad := 0, 0.0
	for i, w := range want {
		allowed := r.absolute + r.relative*math.Abs(w)
		if e := math.Abs(numbers[i]-w) / allowed; !(e <= bad) {
			worst, bad = i, e
		}
	}
	if !(bad <= 1) {
		d.t.Errorf("%s[%d] is %g, want %g: %.3g times what is allowed", r.name, worst, numbers[worst], want[worst], bad)
	}
}

// compiled returns the module of a file of testdata/kernels, compiled as Metal does by default.
func compiled(t testing.TB, file string) *msl.Module {
	t.Helper()
	m, err := modules.get(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type moduleCache struct {
	mu    sync.Mutex
	files map[string]*msl.Module
}

var modules moduleCache

func (c *moduleCache) get(file string) (*msl.Module, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.files[file]; m != nil {
		return m, nil
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "kernels", file))
	if err != nil {
		return nil, err
	}
	m, diags := msl.Compile(context.Background(), msl.Source{Name: file, Text: string(text)}, msl.Options{Verify: true})
	if len(diags) > 0 { // including warnings: these files are examples
		var b strings.Builder
		_ = diag.Text(&b, m.Files, diags)
		return nil, fmt.Errorf("%s", b.String())
	}
	if c.files == nil {
		c.files = map[string]*msl.Module{}
	}
	c.files[file] = m
	return m, nil
}

// encode returns numbers in their memory representation.
func encode(x any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, x)
	if err != nil {
		panic(err)
	}
	return b
}

// decode returns the numbers in memory.
func decode(k ir.Kind, data []byte) []float64 {
	list := make([]float64, len(data)/k.Size())
	for i := range list {
		var b [8]byte
		copy(b[:], data[i*k.Size():][:k.Size()])
		list[i] = ir.BitsFloat(k, binary.LittleEndian.Uint64(b[:]))
	}
	return list
}

// rounded returns numbers of a kind in their memory representation, and replaces them in list by
// the rounded values.
func rounded(k ir.Kind, list []float64) []byte {
	data := make([]byte, 0, len(list)*k.Size())
	for i, x := range list {
		bits := ir.FloatBits(k, x)
		data = append(data, binary.LittleEndian.AppendUint64(nil, bits)[:k.Size()]...)
		list[i] = ir.BitsFloat(k, bits)
	}
	return data
}

// up rounds n up to a multiple.
func up(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// across is a one-dimensional grid or threadgroup.
func across(n int) [3]int { return [3]int{n, 1, 1} }
