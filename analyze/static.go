package analyze

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/compute/gokernel"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/affine"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/translate"
)

// ErrCompile: the source has errors.
var ErrCompile = errors.New("the program does not compile")

// Source is the program that [Kernels] analyzes.
type Source struct {
	Name, Text string
	Defines    map[string]string
	// Dialect is the language if it is not Metal. Such a program is translated as package compute
	// does; reports have its names and places. DoubleAsFloat is that of the translation, and means
	// nothing for Metal. If it is translate.Go, the program is the package in the folder Dir of
	// Include, and Text is not used. The threadgroups of its kernels are those of their directives.
	Dialect       translate.Language
	DoubleAsFloat bool
	// Include has the files that the program includes, Dir is the program's folder in it, and
	// IncludeDirs are more folders to search.
	Include     fs.FS
	Dir         string
	IncludeDirs []string
	Show        func(path string) string // the name of an included file in errors and places; nil keeps it
	Version     int                      // of the language, as in __METAL_VERSION__; 0 is the default
}

// KernelOptions configures [Kernels].
type KernelOptions struct {
	Model Model // the zero value is apple7
	// Threadgroup is the shape of a threadgroup. The zero value is what the kernel requires, else
	// 256 threads in a row.
	Threadgroup [3]int
	Kernel      string // the only kernel to analyze; "" means all
	// Arguments has the bytes of threadgroup memory that the host sets, by index.
	Arguments map[int]int
	// ThreadgroupMemory is the bytes of a threadgroup of a launch, arguments included. 0 is what the
	// source and Arguments say.
	ThreadgroupMemory int
	Grid              [3]int // threads; the zero value is unknown
	Cores             int    // of the GPU; 0 is unknown
}

// Report is what the source of a kernel says about its speed.
type Report struct {
	event.Place
	Kernel      string   `json:"kernel"`
	Model       Model    `json:"model"`
	Threadgroup [3]int   `json:"threadgroup"`
	Accesses    []Access `json:"accesses"` // in text order
	Mix         []Count  `json:"mix"`      // executed by a thread, by group of operations
	// Operations counts floating-point operations of a thread, Bytes those that it asks for in device
	// and constant memory, and Intensity is their quotient. A thread that returns early does less.
	Operations        Figure           `json:"operations"`
	Bytes             Figure           `json:"bytes"`
	Intensity         Figure           `json:"intensity"`
	Registers         Figure           `json:"registers"`          // of 16 bits, of a thread
	ThreadgroupMemory Figure           `json:"threadgroup_memory"` // bytes
	Occupancy         Occupancy        `json:"occupancy"`
	Sweep             []Occupancy      `json:"sweep"`
	Tail              *Tail            `json:"tail,omitempty"` // of the grid, if it is known
	Loops             []Loop           `json:"loops"`
	Branches          []Branch         `json:"branches"` // at which threads of a simdgroup may diverge
	Advice            []Recommendation `json:"advice"`
}

// Access is a place that accesses memory. Its figures are for a simdgroup in which all lanes are
// active, in a full threadgroup, with arguments that begin at a line.
type Access struct {
	event.Place
	Operation event.Operation `json:"operation"`
	Space     event.Space     `json:"space"`
	Memory    string          `json:"memory"`
	Size      int             `json:"size"` // bytes of a lane's access
	Pattern   Pattern         `json:"pattern"`
	Stride    Figure          `json:"stride"` // bytes between neighboring lanes
	Lines     Figure          `json:"lines"`  // of an execution, on average over the simdgroups of a threadgroup
	// Efficiency is the share of the bytes in lines that lanes use.
	Efficiency Figure `json:"efficiency"`
	// BankPasses is how often threadgroup memory is accessed in an execution: 1 without conflicts.
	BankPasses Figure `json:"bank_passes"`
}

// Pattern is how the addresses of a simdgroup's lanes follow each other.
type Pattern string

// The patterns.
const (
	Broadcast  Pattern = "broadcast"  // all lanes the same address
	Sequential Pattern = "sequential" // each lane the bytes after those of the lane before
	Strided    Pattern = "strided"    // any other constant distance
	Tiled      Pattern = "tiled"      // rows of 2, 4, 8 or 16 lanes at a constant distance
	Irregular  Pattern = "irregular"  // known, but none of these
	// LaunchDependent: the distances are not data's, but depend on numbers that the program gets at
	// its launch, such as the length of a row.
	LaunchDependent Pattern = "launch-dependent"
	// DataDependent: the addresses depend on data, so that they may be random.
	DataDependent Pattern = "data-dependent"
)

// Loop is a loop of the kernel as written.
type Loop struct {
	event.Place
	Depth int    `json:"depth"` // 1 for a loop in no other
	Trips Figure `json:"trips"`
	// Operations, Bytes and Intensity are those of an iteration, so that a loop whose trips are
	// unknown can still be judged: as they grow, the kernel's intensity approaches that of the loop.
	Operations Figure `json:"operations"`
	Bytes      Figure `json:"bytes"`
	Intensity  Figure `json:"intensity"`
}

// Branch is a branch at which the lanes of a simdgroup may go different ways.
type Branch struct {
	event.Place
	Kind string `json:"kind"` // if or loop
}

// Kernels analyzes the kernels of a program. With errors in the source it fails with [ErrCompile].
func Kernels(ctx context.Context, source Source, o KernelOptions) ([]*Report, error) {
	if o.Model.Name == "" {
		o.Model = Models()[0]
	}
	if t := o.Threadgroup; t != [3]int{} {
		if min(t[0], t[1], t[2]) < 1 || max(t[0], t[1], t[2]) > 1024 || threadsOf(t) > o.Model.ThreadsPerThreadgroup {
			return nil, fmt.Errorf("analyze: threadgroups of %d×%d×%d threads, want 1 to %d: %w", t[0], t[1], t[2],
				o.Model.ThreadsPerThreadgroup, ErrOptions)
		}
	}
	for i, n := range o.Arguments {
		if i < 0 || n < 1 || n > o.Model.ThreadgroupMemory {
			return nil, fmt.Errorf("analyze: %d bytes for argument %d of threadgroup memory, want 1 to %d: %w", n, i,
				o.Model.ThreadgroupMemory, ErrOptions)
		}
	}
	if g := o.Grid; g != [3]int{} && min(g[0], g[1], g[2]) < 1 || o.Cores < 0 {
		return nil, fmt.Errorf("analyze: a grid of %d×%d×%d threads and %d cores, want at least 1 thread and 0 cores: %w",
			g[0], g[1], g[2], o.Cores, ErrOptions)
	}
	kernels := map[string]translate.Kernel{} // by Metal's name
	if source.Dialect != "" {
		var err error
		if kernels, err = source.translate(ctx); err != nil {
			return nil, err
		}
	}
	m, diags := msl.Compile(ctx, msl.Source{Name: source.Name, Text: source.Text}, msl.Options{Defines: source.Defines,
		Include: source.Include, Dir: source.Dir, IncludeDirs: source.IncludeDirs, MetalVersion: source.Version,
		Show: source.Show, NoWarnings: true})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		var b strings.Builder
		if err := diag.Text(&b, m.Files, diags); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("analyze: %w:\n%s", ErrCompile, strings.TrimSpace(b.String()))
	}
	list := []*Report{}
	var all []string
	for _, f := range m.IR.Funcs {
		name, k := f.Name, kernels[f.Name]
		if k.Name != "" {
			name = k.Name
		}
		all = append(all, name)
		if o.Kernel == "" || o.Kernel == f.Name || o.Kernel == name {
			if source.Dialect != "" {
				// Functions such as get_global_id take a dimension, which is nearly always a constant.
				opt.Run(f, opt.Options{Off: ^(opt.Fold | opt.Dead), Scalar: num.Scalar})
			}
			own := o
			if g := k.Group; source.Dialect == translate.Go && g[0] > 0 {
				if own.Threadgroup = g; o.Threadgroup != [3]int{} && o.Threadgroup != g {
					return nil, fmt.Errorf("analyze: kernel %s is for threadgroups of %d×%d×%d threads, not %d×%d×%d: %w", name,
						g[0], g[1], g[2], o.Threadgroup[0], o.Threadgroup[1], o.Threadgroup[2], ErrOptions)
				}
			}
			r := report(f, own)
			r.Kernel = name
			list = append(list, r)
		}
	}
	if o.Kernel != "" && len(list) == 0 {
		return nil, fmt.Errorf("analyze: no kernel %q in %s, which has: %s: %w", o.Kernel, source.Name,
			strings.Join(all, ", "), ErrOptions)
	}
	return list, ctx.Err()
}

// translate makes the source Metal. It returns the kernels by Metal's names.
func (s *Source) translate(ctx context.Context) (map[string]translate.Kernel, error) {
	var r *translate.Result
	var err error
	if s.Dialect == translate.Go {
		r, err = gokernel.Translate(ctx, s.Include, s.Dir, translate.Options{Show: s.Show, Lines: true,
			DoubleAsFloat: s.DoubleAsFloat, Macros: s.Defines})
	} else {
		r, err = translate.Source(ctx, s.Text, translate.Options{Name: s.Name, Language: s.Dialect, Macros: s.Defines,
			Include: s.Include, IncludeDirs: s.IncludeDirs, Dir: s.Dir, Show: s.Show, DoubleAsFloat: s.DoubleAsFloat,
			Lines: true})
	}
	if err != nil {
		return nil, fmt.Errorf("analyze: %w", err)
	}
	if len(r.Kernels) == 0 && len(r.Refused) > 0 {
		var b strings.Builder
		for _, m := range r.Refused {
			fmt.Fprintf(&b, "\n%v", m)
		}
		return nil, fmt.Errorf("analyze: %w:%s", ErrCompile, b.String())
	}
	s.Text, s.Defines, s.Include = r.Text, nil, nil
	kernels := map[string]translate.Kernel{}
	for _, k := range r.Kernels {
		kernels[k.As] = k
	}
	return kernels, nil
}

// report analyzes a kernel.
func report(f *ir.Func, o KernelOptions) *Report {
	r := &Report{Kernel: f.Name, Model: o.Model, Threadgroup: o.Threadgroup, Place: placeOf(f, f.Pos),
		Accesses: []Access{}, Mix: []Count{},
		Loops: []Loop{}, Branches: []Branch{}}
	if q := f.Attributes.RequiredThreads; q[0] > 0 {
		r.Threadgroup = [3]int{q[0], max(q[1], 1), max(q[2], 1)}
	} else if r.Threadgroup == [3]int{} {
		r.Threadgroup = [3]int{256, 1, 1}
		if n := f.Attributes.MaxTotalThreads; n > 0 {
			r.Threadgroup[0] = min(n, 256)
		}
	}
	k := affine.Of(f)
	for _, a := range k.Accesses {
		r.Accesses = append(r.Accesses, r.access(f, a))
	}
	r.control(k, accessesOf(k), f.Body, 1)
	fast := f.Clone()
	opt.Run(fast, opt.Options{})
	r.count(fast)
	r.Registers = estimate(float64(registers(fast)),
		"from the lives of values and of arrays up to 256 bytes in the optimized kernel")
	r.ThreadgroupMemory = threadgroupMemory(f, &o)
	memory := r.memory()
	n := threadsOf(r.Threadgroup)
	if why := r.ThreadgroupMemory; why.Certainty == Unknown {
		r.Occupancy = Occupancy{Threadgroup: n, Threads: why, Threadgroups: why, Share: why}
	} else {
		r.Occupancy = o.Model.Occupancy(n, memory, r.Registers)
		r.Sweep = o.Model.Sweep(memory, r.Registers)
	}
	if o.Grid != [3]int{} {
		t := r.Occupancy.tail(o.Grid, r.Threadgroup, o.Cores)
		r.Tail = &t
		if t.Cores.Certainty != Unknown && t.Cores.High < float64(max(o.Cores, 1)) {
			r.Occupancy.Limit = "grid"
		}
	}
	r.advise()
	return r
}

// memory returns the bytes of a threadgroup's memory, 0 if they are unknown.
func (r *Report) memory() int { return int(r.ThreadgroupMemory.Value) }

// threadgroupMemory returns the bytes of a threadgroup's memory.
func threadgroupMemory(f *ir.Func, o *KernelOptions) Figure {
	if o.ThreadgroupMemory > 0 {
		return exact(float64(o.ThreadgroupMemory))
	}
	n := f.Attributes.ThreadgroupStatic
	for _, a := range f.Args {
		if a.Kind != ir.ArgThreadgroup {
			continue
		}
		length, ok := o.Arguments[a.Index]
		if !ok {
			return unknown(fmt.Sprintf("the host sets the length of %s, threadgroup memory %d", a.Name, a.Index))
		}
		n += length
	}
	return exact(float64(n))
}

func placeOf(f *ir.Func, l ir.Loc) event.Place {
	p := event.Place{Line: int(l.Line), Column: int(l.Col)}
	if i := int(l.File) - 1; i >= 0 && i < len(f.Module.Files) {
		p.File = f.Module.Files[i]
	}
	return p
}

// control lists loops and divergent branches.
func (r *Report) control(k *affine.Kernel, by map[*ir.Instr]*affine.Access, region *ir.Region, depth int) {
	for _, in := range region.Instrs {
		inner := depth
		switch in.Op {
		case ir.OpLoop:
			inner++
			l := Loop{Place: placeOf(k.Func, in.Loc), Depth: depth, Trips: trips(k, in)}
			s := countRegion(k, in.Regions[0], by)
			l.Operations, l.Bytes = s.figure(operationCount), s.figure(byteCount)
			l.Intensity = intensity(l.Operations, l.Bytes)
			r.Loops = append(r.Loops, l)
		case ir.OpIf:
			if k.Uniformity.Values[in.Args[0].ID] > ir.SharedBySimdgroup {
				kind := "if"
				for _, sub := range in.Regions {
					if t := sub.Terminator(); t.Op == ir.OpBreak && t.Target.Op == ir.OpLoop {
						kind = "loop"
					}
				}
				r.Branches = append(r.Branches, Branch{placeOf(k.Func, in.Loc), kind})
			}
		}
		for _, sub := range in.Regions {
			r.control(k, by, sub, inner)
		}
	}
}

func trips(k *affine.Kernel, loop *ir.Instr) Figure {
	n, sure, ok := k.Trips(loop)
	switch {
	case !ok:
		return unknown("the number of iterations is not constant")
	case !sure:
		return between(0, float64(n), "the loop may end early")
	}
	return exact(float64(n))
}
