//go:build !puremetal_run

package main

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/cmd/puremetal/internal/rewrite"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
)

// ownOptions returns the options with which this module's own compiler reads a plan's source.
func (c *runCmd) ownOptions(p *plan) (o msl.Options, err error) {
	o.NoWarnings = true
	if o.Defines, err = defines(p.define); err != nil {
		return o, err
	}
	v, err := languageVersion(p.std)
	if err != nil {
		return o, err
	}
	o.MetalVersion = metalVersion(v)
	return o, findIncludes(p.source.text, c.Include, &o)
}

// applier applies advice to the source of a launch.
type applier struct {
	ctx     context.Context
	options msl.Options
	first   *observed
	launch  *event.Launch
	kernel  string
	size    func(memory string) int // bytes of an argument
}

// parse parses the launch's kernel.
func (x *applier) parse(p *plan) (*rewrite.Kernel, error) {
	return rewrite.Parse(p.text, x.kernel, x.options)
}

// vectorize launches a quarter of the threads, with vectors.
func (x *applier) vectorize(p *plan, _ *change) error {
	grid := x.first.grid
	if max(grid.Y, 1)*max(grid.Z, 1) > 1 {
		return fmt.Errorf("%w: a grid of %s threads is not a row", rewrite.ErrNot, extentText(grid))
	}
	k, err := x.parse(p)
	if err != nil {
		return err
	}
	guarded := false
	if p.text, guarded, err = k.Vectorize(); err != nil {
		return err
	}
	if !guarded && grid.X%rewrite.VectorWidth != 0 {
		return fmt.Errorf("%w: a grid of %d threads is not one of whole vectors of %d, and the kernel has no bound",
			rewrite.ErrNot, grid.X, rewrite.VectorWidth)
	}
	grid.X = (grid.X + rewrite.VectorWidth - 1) / rewrite.VectorWidth
	p.steps[0].grid.text = extentText(grid)
	p.steps[0].group = option{text: extentText(x.first.group), origin: "--try"}
	return nil
}

// stage exchanges what a buffer has or gets in threadgroup memory.
func (x *applier) stage(memory string) func(*plan, *change) error {
	return func(p *plan, _ *change) error {
		side := 0
		for _, n := range []int{16, 32} {
			if g := x.first.grid; n*n <= x.first.limit && g.X%n == 0 && g.Y%n == 0 && g.Z <= 1 {
				side = n
			}
			if t := x.launch.Threadgroup; side == n && t == [3]int{n, n, 1} { // the kernel may rely on it
				break
			}
		}
		if side == 0 {
			return fmt.Errorf("%w: a grid of %s threads does not consist of whole threadgroups of 16 by 16",
				rewrite.ErrNot, extentText(x.first.grid))
		}
		k, err := x.parse(p)
		if err != nil {
			return err
		}
		if p.text, err = k.Stage(memory, side); err != nil {
			return err
		}
		p.steps[0].group = option{text: fmt.Sprintf("%d,%d", side, side), origin: "--try"}
		return nil
	}
}

// splitStructures makes an array for each member of a buffer's structures.
func (x *applier) splitStructures(memory string) func(*plan, *change) error {
	return func(p *plan, c *change) error {
		layout, err := x.layout(p, memory)
		if err != nil {
			return err
		}
		k, err := x.parse(p)
		if err != nil {
			return err
		}
		if p.text, err = k.Split(memory, layout); err != nil {
			return err
		}
		c.split = map[string]rewrite.Layout{memory: layout}
		return nil
	}
}

// layout returns the layout of a buffer of structures.
func (x *applier) layout(p *plan, memory string) (l rewrite.Layout, err error) {
	m, _ := msl.Compile(x.ctx, msl.Source{Name: "source", Text: p.text}, x.options)
	k := m.Kernel(x.kernel)
	if k == nil {
		return l, fmt.Errorf("%w: the source does not compile by itself", rewrite.ErrNot)
	}
	for _, a := range k.Args {
		if a.Kind != ir.ArgBuffer || a.Name != memory {
			continue
		}
		if a.Struct == nil || a.ArgumentBuffer {
			return l, fmt.Errorf("%w: %s is an array of %s, not of structures of numbers", rewrite.ErrNot, memory, a.Type)
		}
		l.Size, l.Count = a.Size, x.size(memory)/max(a.Size, 1)
		for _, f := range a.Struct.Members {
			if f.Struct == nil && f.Array == nil && f.Size > 0 {
				l.Fields = append(l.Fields, rewrite.Field{Name: f.Name, Type: f.Type, Offset: f.Offset, Size: f.Size})
			}
		}
	}
	for i := 1; i < len(l.Fields); i++ {
		if a, b := l.Fields[i-1], l.Fields[i]; a.Offset+a.Size > b.Offset {
			return l, fmt.Errorf("%w: members %s and %s of %s overlap", rewrite.ErrNot, a.Name, b.Name, memory)
		}
	}
	return l, nil
}

// privatize lets threadgroups count in threadgroup memory.
func (x *applier) privatize(memory string) func(*plan, *change) error {
	return func(p *plan, _ *change) error {
		count, g, t := x.size(memory)/4, x.launch.Grid, x.launch.Threadgroup
		if room := maxThreadgroupMemory - x.launch.ThreadgroupMemory; 4*count > room {
			return fmt.Errorf("%w: %d counters of %s take %d bytes of threadgroup memory, of which %d are free",
				rewrite.ErrNot, count, memory, 4*count, room)
		}
		if g[0]%t[0]+g[1]%t[1]+g[2]%t[2] > 0 {
			return fmt.Errorf("%w: the threadgroups at the end of the grid are smaller than %s", rewrite.ErrNot, sizeText(t))
		}
		k, err := x.parse(p)
		if err != nil {
			return err
		}
		p.text, err = k.Privatize(memory, count, t[0]*t[1]*t[2])
		p.steps[0].group = option{text: extentText(x.first.group), origin: "--try"}
		return err
	}
}

// maxThreadgroupMemory is what Apple's GPUs have for a threadgroup, in bytes.
const maxThreadgroupMemory = 32 << 10

// changes returns what to do about the advice that needs another kernel, for each memory once.
func (x *applier) changes(advice []analyze.Recommendation, lines string, countLines func(*event.Launch) int64,
	predicted func(analyze.Remedy, string) float64) (list []change) {
	instructions := func(l *event.Launch) int64 { return l.Instructions }
	type key struct {
		remedy analyze.Remedy
		memory string
	}
	seen := map[key]bool{}
	for _, r := range advice {
		k := key{r.Remedy, r.Memory}
		if seen[k] {
			continue
		}
		seen[k] = true
		c := change{measure: lines, count: countLines, predicted: predicted(r.Remedy, r.Memory)}
		switch r.Remedy {
		case analyze.Vectorize:
			c.name, c.apply = fmt.Sprintf("vectors of %d, a quarter of the threads", rewrite.VectorWidth), x.vectorize
			c.measure, c.count = r.Measure, analyze.Accesses
		case analyze.Interchange:
			c.name, c.apply = "stage "+r.Memory+" in threadgroup memory", x.stage(r.Memory)
		case analyze.SplitStructures:
			c.name, c.apply = "an array for each member of "+r.Memory, x.splitStructures(r.Memory)
		case analyze.Privatize:
			c.name, c.apply = "counters of "+r.Memory+" in threadgroup memory", x.privatize(r.Memory)
		case analyze.Stage:
			c.name = "stage " + r.Memory + " in threadgroup memory"
			c.apply = never("which elements a threadgroup needs depends on data, so no text says what to read ahead")
		case analyze.Converge:
			c.name = "let simdgroups decide as a whole at " + r.Place.String()
			c.apply = never("which threads should share a simdgroup depends on data")
			c.measure, c.count = r.Measure, instructions
		default: // of the grid and of threadgroup memory: not changes of the kernel
			continue
		}
		list = append(list, c)
	}
	return list
}

// never is the application of advice that cannot be applied mechanically.
func never(reason string) func(*plan, *change) error {
	return func(*plan, *change) error { return fmt.Errorf("%w mechanically: %s", rewrite.ErrNot, reason) }
}
