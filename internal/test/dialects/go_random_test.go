package dialects

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"math/rand/v2"
	"os"
	gocommand "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var (
	manyGoKernels = flag.Int("go.kernels", 12, "how many random Go kernels to run")
	firstGoKernel = flag.Uint64("go.first", 0, "seed of the first random Go kernel")
	goWays        = flag.Int("go.ways", 0, "how many ways of the engines run each random Go kernel, in turns; 0: all")
	goBatch       = flag.Int("go.batch", 250, "how many random Go kernels to compile at once")
)

// goLaunch is a random launch of a random kernel: its arguments are blocks of memory, one each.
type goLaunch struct {
	threads, group int
	args           [][]byte
}

func (k *goKernel) launch(seed uint64) goLaunch {
	r := rand.New(rand.NewPCG(seed, 39))
	l := goLaunch{threads: 1 + r.IntN(40), group: []int{1, 7, 16, 32, 64}[r.IntN(5)]}
	for _, p := range k.params {
		n := 1
		if p.slice {
			if n = 1 + r.IntN(20); p.each > 0 { // some threads have no place
				n = p.each*(1+l.threads-r.IntN(2)*r.IntN(l.threads)) + r.IntN(3)
			}
		}
		var b []byte
		for range n {
			x := r.Uint64() >> r.IntN(64)
			if r.IntN(2) == 0 {
				x = -x
			}
			if r.IntN(12) == 0 {
				x = 1 << (8*p.t.size - 1)
			}
			if p.t == goFloat {
				f := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1e-40, 3e38, float32(math.Inf(1)),
					float32(math.NaN()),
					-2.5, float32(int32(x)) / 256, float32(int16(x)), math.Float32frombits(uint32(r.Uint64()))}
				x = uint64(math.Float32bits(f[r.IntN(len(f))]))
			}
			b = append(b, binary.LittleEndian.AppendUint64(nil, x)[:p.t.size]...)
		}
		l.args = append(l.args, b)
	}
	return l
}

// kernel writes the kernel itself.
func (g *goGen) kernel(k *goKernel) {
	g.scopes = [][]goVar{nil}
	var params []string
	for i := range 1 + g.IntN(3) {
		t := g.scalar()
		for t == goIntType || t == goUintType || t.kind == 'b' {
			t = g.scalar()
		}
		p := goParam{t: t, slice: true}
		if i > 0 && g.chance(2) {
			p.slice = false
		}
		name := fmt.Sprintf("in%d", i)
		k.params = append(k.params, p)
		if p.slice {
			params = append(params, name+" []"+t.name)
		} else {
			params = append(params, name+" "+t.name)
		}
		g.declare(goVar{name: name, t: t, slice: p.slice, only: p.slice})
	}
	outs := 1 + g.IntN(2)
	for i := range outs {
		t := g.scalar()
		for t == goIntType || t == goUintType || t.kind == 'b' {
			t = g.scalar()
		}
		p := goParam{t: t, slice: true, each: 1 + g.IntN(6)}
		k.params = append(k.params, p)
		params = append(params, fmt.Sprintf("out%d []%s", i, t.name))
	}
	g.line("//puremetal:kernel")
	g.line("func %s(t *kernel.Thread, %s) {", k.name, strings.Join(params, ", "))
	g.indent++
	g.shared()
	g.line("i := int(t.Global.X)")
	for i, p := range k.params[len(k.params)-outs:] {
		name, own := fmt.Sprintf("out%d", i), fmt.Sprintf("o%d", i)
		g.line("if (i+1)*%d > len(%s) {\n\t\treturn\n\t}", p.each, name)
		g.line("%s := %s[i*%d : (i+1)*%d]", own, name, p.each, p.each)
		g.declare(goVar{name: own, t: p.t, slice: true})
	}
	g.declare(goVar{name: "i", t: goIntType, only: true})
	g.results, g.named, g.helper = nil, false, false
	g.size = 8 + g.IntN(30)
	g.scopes = append(g.scopes, nil)
	for g.size > 0 {
		g.size--
		g.statement()
	}
	// What the variables are in the end decides what comes out.
	for i, p := range k.params[len(k.params)-outs:] {
		for e := range p.each {
			g.line("o%d[%d] %s %s", i, e, []string{"=", "+=", "-="}[g.IntN(3)], g.expr(p.t, 3, true))
		}
	}
	for _, s := range g.scopes {
		for _, v := range s {
			if !strings.HasPrefix(v.name, "(*") {
				g.line("_ = %s", v.name)
			}
		}
	}
	g.indent--
	g.line("}\n")
}

// shared begins a kernel with memory of its threadgroup.
func (g *goGen) shared() {
	for range g.IntN(3) {
		t := g.scalar()
		if t.kind == 'b' {
			continue
		}
		s, v := g.label("sh"), g.label("v")
		g.line("%s := kernel.Shared[[64]%s](t)", s, t.name)
		g.line("%s[t.Local.X] = %s", s, g.expr(t, 2, true))
		g.line("t.Barrier()")
		g.line("%s := %s[(t.Local.X+%d)%%t.GroupSize.X]", v, s, g.IntN(40))
		if g.chance(2) {
			g.line("for k := range %s {\n\t\tif %s[k] != 0 {\n\t\t\t%s += %s[k]\n\t\t}\n\t}", s, s, v, s)
		}
		g.line("t.Barrier()")
		g.declare(goVar{name: v, t: t})
	}
}

const goMain = `package main

import (
	"io"
	"os"
	"unsafe"

	"github.com/puremetal/puremetal/kernel"

	"example.com/random/random"
)

var data []byte

// next returns the next n elements of the input, which the output is made of, too.
func next[T any](n int) []T {
	var zero T
	list := make([]T, n)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), n*int(unsafe.Sizeof(zero)))
	data = data[copy(b, data):]
	all = append(all, b)
	return list
}

var all [][]byte

func run(threads, group uint32, f func(t *kernel.Thread)) {
	if err := kernel.Run(kernel.Index{X: threads, Y: 1, Z: 1}, kernel.Index{X: group, Y: 1, Z: 1}, f); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func main() {
	data, _ = io.ReadAll(os.Stdin)
%s	for _, b := range all {
		os.Stdout.Write(b)
	}
}
`

// TestRandomGoKernels runs random kernels as plain Go, which the go command compiles, and on the
// device, and compares what they write.
func TestRandomGoKernels(t *testing.T) {
	goCommand, err := gocommand.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("it compiles a program with the go command")
	}
	last := *firstGoKernel + uint64(*manyGoKernels)
	for first := *firstGoKernel; first < last; first += uint64(*goBatch) {
		runGoKernels(t, goCommand, first, int(min(uint64(*goBatch), last-first)))
	}
}

// stubs imports what gokernel knows of the packages that kernels may use.
type stubs struct{ fset *token.FileSet }

func (s stubs) Import(path string) (*types.Package, error) {
	name := filepath.Join("..", "..", "gokernel", "stubs", strings.ReplaceAll(path, "/", "_")+".go.txt")
	f, err := parser.ParseFile(s.fset, name, nil, 0)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: s, IgnoreFuncBodies: true}
	return config.Check(path, s.fset, []*ast.File{f}, nil)
}

// TestRandomGoKernelsCompile checks the types of random kernels, by the seeds that once gave errors
// of the compiler and those of the flags.
func TestRandomGoKernelsCompile(t *testing.T) {
	seeds := []uint64{300313, 302319, 204667}
	for seed := *firstGoKernel; seed < *firstGoKernel+uint64(*manyGoKernels); seed++ {
		seeds = append(seeds, seed)
	}
	fset := token.NewFileSet()
	config := types.Config{Importer: stubs{fset}}
	for _, seed := range seeds {
		f, err := parser.ParseFile(fset, fmt.Sprintf("%d.go", seed), goPrelude+newGoKernel(seed).source, 0)
		if assert.NoError(t, err) {
			_, err = config.Check("random", fset, []*ast.File{f}, nil)
			assert.NoError(t, err)
		}
	}
}

func runGoKernels(t *testing.T, goCommand string, first uint64, n int) {
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(text)
	}
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	var kernels []*goKernel
	var launches []goLaunch
	var calls strings.Builder
	var input []byte
	write("random/prelude.go", goPrelude)
	for seed := first; seed < first+uint64(n); seed++ {
		k := newGoKernel(seed)
		l := k.launch(seed)
		kernels, launches = append(kernels, k), append(launches, l)
		write(fmt.Sprintf("random/%s.go", strings.ToLower(k.name)), strings.Split(goPrelude, "type integer")[0]+k.source)
		calls.WriteString("\t{\n")
		var args []string
		for i, p := range k.params {
			fmt.Fprintf(&calls, "\t\ta%d := next[%s](%d)\n", i, p.t.name, len(l.args[i])/p.t.size)
			arg := fmt.Sprintf("a%d", i)
			if !p.slice {
				arg += "[0]"
			}
			args = append(args, arg)
			input = append(input, l.args[i]...)
		}
		fmt.Fprintf(&calls, "\t\trun(%d, %d, func(t *kernel.Thread) { random.%s(t, %s) })\n\t}\n", l.threads, l.group,
			k.name,
			strings.Join(args, ", "))
	}
	write("main.go", fmt.Sprintf(goMain, calls.String()))
	write("go.sum", read("go.sum"))
	write("go.mod", regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(read("go.mod"),
		"module example.com/random\n\n"+
			"require github.com/puremetal/puremetal v0.0.0\n\nreplace github.com/puremetal/puremetal => "+
			filepath.ToSlash(root)))

	file := filepath.Join(dir, "random.exe")
	build := gocommand.Command(goCommand, "build", "-mod=mod", "-gcflags=-e", "-ldflags=-w", "-o", file, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var stdout, stderr bytes.Buffer
	// A kernel that does not end is the generator's fault.
	limit, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	program := gocommand.CommandContext(limit, file)
	program.Stdin, program.Stdout, program.Stderr = bytes.NewReader(input), &stdout, &stderr
	require.NoError(t, program.Run(), "%s", &stderr)
	require.Equal(t, len(input), stdout.Len())

	r, err := gokernel.Translate(context.Background(), os.DirFS(dir), "random", gokernel.Options{})
	require.NoError(t, err)
	for _, x := range r.Refused {
		t.Errorf("%s: refused: %v: %s", x.Kernel, x.Pos, x.Reason)
	}
	// They do nothing that Go would panic at, so that checks change nothing.
	checked, err := gokernel.Translate(context.Background(), os.DirFS(dir), "random", gokernel.Options{Checked: true})
	require.NoError(t, err)
	require.Len(t, checked.Refused, len(r.Refused))
	want := stdout.Bytes()
	for i, k := range kernels {
		l := launches[i]
		size := 0
		for _, a := range l.args {
			size += len(a)
		}
		if i%4 == 3 {
			compareGoKernel(t, checked, k, i, l, want[:size])
		} else {
			compareGoKernel(t, r, k, i, l, want[:size])
		}
		want = want[size:]
	}
}

// compareGoKernel runs the nth kernel on the engines. It must leave in its arguments what plain Go
// did.
func compareGoKernel(t *testing.T, r *gokernel.Result, k *goKernel, nth int, launch goLaunch, want []byte) {
	l := testlaunch.Launch{Grid: [3]int{launch.threads, 1, 1}, Group: [3]int{launch.group, 1, 1},
		Buffers:           map[int]testlaunch.Buffer{},
		ThreadgroupMemory: map[int]int{}, Textures: map[int]*testlaunch.Texture{},
		Samplers: map[int]ir.SamplerState{}, Fuel: 1 << 30}
	for _, x := range r.Kernels {
		if x.Name != k.name {
			continue
		}
		at := 0
		slots := make([]int, len(k.params))
		for _, a := range x.Args {
			if a.Kind == "length" {
				n := len(launch.args[at-1]) / k.params[at-1].t.size
				l.Buffers[a.Index] = testlaunch.Buffer{Data: binary.LittleEndian.AppendUint32(nil, uint32(n))}
				continue
			}
			slots[at] = a.Index
			l.Buffers[a.Index] = testlaunch.Buffer{Data: bytes.Clone(launch.args[at])}
			at++
		}
		if long := l.Clone(); *manyGoKernels > 100 { // among many, some take minutes
			long.Fuel = 1 << 27
			if errors.Is(long.Run(t.Context(), r.Module.IR.Func(x.As), ref.Run), exec.ErrFuel) {
				t.Logf("%s is left out: it takes too much work", k.name)
				continue
			}
		}
		ways := exectest.EveryWay()
		if n := *goWays; n > 0 {
			from := nth * n % len(ways)
			ways = append(ways[from:], ways[:from]...)[:min(n, len(ways))]
		}
		exectest.Run(t, r.Module.IR.Func(x.As), l, ways...)
		for i, p := range k.params {
			have := l.Buffers[slots[i]].Data
			part := want[:len(have)]
			want = want[len(have):]
			if p.t == goFloat {
				sameNaN(have, part)
			}
			if p.slice && !assert.Equal(t, part, have, "argument %d (%s) of %s", i, p.t.name, k.name) {
				return
			}
		}
	}
}

// sameNaN makes NaNs of two lists of float32 the same.
func sameNaN(have, want []byte) {
	for k := 0; k < len(want); k += 4 {
		w := math.Float32frombits(binary.LittleEndian.Uint32(want[k:]))
		h := math.Float32frombits(binary.LittleEndian.Uint32(have[k:]))
		if w != w && h != h {
			copy(have[k:k+4], want[k:k+4])
		}
	}
}
