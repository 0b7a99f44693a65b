package msl

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/lower"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// oneCore limits a benchmark to one core, including the garbage collector.
func oneCore(b *testing.B) {
	n := runtime.GOMAXPROCS(1)
	b.Cleanup(func() { runtime.GOMAXPROCS(n) })
}

// program is the input of a benchmark.
type program struct {
	src  Source
	opts Options
}

func speedKernel(b testing.TB) program {
	text, err := os.ReadFile("../../testdata/msl/speed/rows.metal")
	require.NoError(b, err)
	return program{Source{Name: "rows.metal", Text: string(text)}, Options{}}
}

// manyKernels repeats the kernel of a hundred lines n times in one text, each in its own namespace.
func manyKernels(b testing.TB, n int) program {
	head, body, ok := strings.Cut(speedKernel(b).src.Text, "struct Block {")
	require.True(b, ok)
	var all strings.Builder
	all.WriteString(head)
	for i := range n {
		r := strings.NewReplacer("kernel void rows", fmt.Sprintf("kernel void rows%d", i), "function_constant(0)",
			fmt.Sprintf("function_constant(%d)", 2*i),
			"function_constant(1)", fmt.Sprintf("function_constant(%d)", 2*i+1))
		fmt.Fprintf(&all, "namespace n%d {\nstruct Block {%s}\n", i, r.Replace(body))
	}
	return program{Source{Name: "many.metal", Text: all.String()}, Options{}}
}

// compile compiles once and fails on an error.
func (p program) compile(b *testing.B) *Module {
	m, diags := Compile(context.Background(), p.src, p.opts)
	for _, d := range diags {
		if d.Severity == diag.Error {
			b.Fatalf("%s: %s", p.src.Name, d.Message)
		}
	}
	return m
}

// stages benchmarks each stage of the compiler on the output of the previous one.
func (p program) stages(b *testing.B) {
	ctx := context.Background()
	sink := diag.NewSink()
	var files *diag.FileSet
	var toks []token.Token
	var file *ast.File
	var prog *typed.Program
	var out *ir.Module
	read := func() {
		files = diag.NewFileSet()
		toks = pp.Process(files, files.AddFile(p.src.Name, p.src.Text),
			pp.Options{Include: p.opts.Include, IncludeDirs: p.opts.IncludeDirs}, sink)
	}
	read()
	for _, s := range []struct {
		name string
		run  func()
	}{
		{"Preprocess", read},
		{"Parse", func() { file = parse.File(files, toks, sink) }},
		{"Check", func() { prog = check.Program(files, file, check.Options{}, sink) }},
		{"Lower", func() { out = lower.Program(ctx, prog, lower.Options{}, sink) }},
		{"Verify", func() { require.NoError(b, out.Verify()) }},
	} {
		s.run()
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.run()
			}
		})
	}
	require.Zero(b, sink.Errors())
}

// BenchmarkKernel compiles one kernel of a hundred lines. The target is less than 3 ms.
func BenchmarkKernel(b *testing.B) {
	oneCore(b)
	p := speedKernel(b)
	b.ReportAllocs()
	for b.Loop() {
		p.compile(b)
	}
}

// BenchmarkKernelStages times the stages of the compiler on one kernel.
func BenchmarkKernelStages(b *testing.B) {
	oneCore(b)
	speedKernel(b).stages(b)
}

// BenchmarkManyStages times the stages of the compiler on a hundred kernels.
func BenchmarkManyStages(b *testing.B) {
	oneCore(b)
	manyKernels(b, 100).stages(b)
}

// corpusPrograms are the programs in the folder that PUREMETAL_CORPUS names.
func corpusPrograms(b *testing.B) (list []program) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" {
		b.Skip("PUREMETAL_CORPUS names no folder of programs")
	}
	fsys, err := newCorpusFS(os.DirFS(root))
	require.NoError(b, err)
	require.NoError(b, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !shaderFile(name) {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		list = append(list, program{Source{Name: name, Text: string(text)},
			Options{Include: near{fsys, name}, IncludeDirs: fsys.includeDirs(name)}})
		return err
	}))
	return list
}

// BenchmarkCorpus compiles every program in a folder. The target for all of ggml is less than 2 s
// and 1 GiB. The reported memory is the maximum that the process obtained from the system by the
// end of the benchmark.
func BenchmarkCorpus(b *testing.B) {
	oneCore(b)
	for _, p := range corpusPrograms(b) {
		b.Run(path.Base(p.src.Name), func(b *testing.B) {
			if _, diags := Compile(context.Background(), p.src, p.opts); len(diags) > 0 && diags[0].Severity == diag.Error {
				b.Skipf("not accepted: %s", diags[0].Message)
			}
			b.ReportAllocs()
			kernels := 0
			for b.Loop() {
				kernels = len(p.compile(b).Kernels)
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			b.ReportMetric(float64(mem.Sys)/(1<<20), "MiB-peak")
			b.ReportMetric(float64(kernels), "kernels")
		})
	}
}

// BenchmarkCorpusStages times the stages of the compiler on every program in a folder.
func BenchmarkCorpusStages(b *testing.B) {
	oneCore(b)
	for _, p := range corpusPrograms(b) {
		b.Run(path.Base(p.src.Name), func(b *testing.B) {
			if _, diags := Compile(context.Background(), p.src, p.opts); len(diags) > 0 && diags[0].Severity == diag.Error {
				b.Skipf("not accepted: %s", diags[0].Message)
			}
			p.stages(b)
		})
	}
}
