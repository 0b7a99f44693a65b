//go:build !puremetal_nosoftware

package fallback

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	internal "github.com/puremetal/puremetal/compute/internal/fallback"
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// CPU runs kernels on the CPU, for [compute.WithFallback]. It is safe for concurrent use, by any
// number of accelerators, and has no goroutines while no kernel runs.
type CPU struct{ engine *exec.Engine }

// New returns a CPU. It fails for a negative number of workers.
func New(o Options) (*CPU, error) {
	if o.Workers < 0 {
		return nil, fmt.Errorf("fallback: Workers is %d, want at least 0: %w", o.Workers, compute.ErrOption)
	}
	return &CPU{exec.NewEngine(o.Workers)}, nil
}

// Prepare compiles a kernel, for [compute.Stream.LaunchFallback]. Programs and kernels are cached
// for the process.
func (c *CPU) Prepare(ctx context.Context, k internal.Kernel) (internal.Code, error) {
	if c == nil || c.engine == nil || ctx == nil {
		return nil, fmt.Errorf("fallback: Prepare: the CPU or the context is nil, or was not made by New: %w",
			compute.ErrNil)
	}
	v := uint64(k.Settings.LanguageVersion)
	o := shader.Options{Version: int(v>>16)*100 + int(v&0xffff)*10, Math: mathOf(k.Settings.MathMode),
		PreciseFunctions: k.Settings.MathFunctions == preciseFunctions, Macros: k.Macros}
	l, failed := shader.Compile(ctx, k.Source, o)
	if failed != nil {
		return nil, fmt.Errorf("%w: %w", compute.ErrCompile, failed)
	}
	f, err := function(ctx, l, &k)
	if err != nil {
		return nil, err
	}
	p, failed := shader.NewPipeline(shader.PipelineSpec{Function: f})
	if failed != nil {
		return nil, failed
	}
	for i := range p.Args {
		if why := unsupported(&p.Args[i]); p.Args[i].Active && why != "" {
			return nil, fmt.Errorf("%s: %s", describe(&p.Args[i]), why)
		}
	}
	if err := followsAddresses(f.IR()); err != nil {
		return nil, err
	}
	return &code{c.engine, p}, nil
}

// function returns a kernel with its constants set.
func function(ctx context.Context, l *shader.Library, k *internal.Kernel) (*shader.Function, error) {
	var values *shader.Values
	if len(k.Constants) > 0 {
		values = &shader.Values{}
	}
	for i := range k.Constants {
		c := &k.Constants[i]
		x, err := valueOf(c.Value)
		switch {
		case err != nil:
			return nil, fmt.Errorf("function constant %d %q: %w", c.Index, c.Name, err)
		case c.Name != "":
			values.SetNamed(c.Name, x)
		default:
			values.Set(int(c.Index), x)
		}
	}
	f, failed := l.Specialize(ctx, k.Name, values)
	if failed != nil {
		return nil, failed
	}
	return f, nil
}

// describe returns "buffer 2 (out)", as compute does.
func describe(a *ir.Arg) string { return fmt.Sprintf("%s %d (%s)", a.Kind, a.Index, a.Name) }

// unsupported returns why the CPU cannot take an argument, "" if it can.
func unsupported(a *ir.Arg) string {
	switch {
	case a.Kind != ir.ArgBuffer && a.Kind != ir.ArgThreadgroup:
		return "only buffers, values and threadgroup memory can be passed to the CPU"
	case a.ArgumentBuffer:
		return "an argument buffer has addresses and handles of the device"
	}
	return ""
}

// followsAddresses returns an error if a kernel accesses memory at addresses that are in memory:
// they are the device's, and mean nothing to the CPU.
func followsAddresses(f *ir.Func) (err error) {
	f.Body.Walk(func(in *ir.Instr) bool {
		switch {
		case in.Op == ir.OpIntToPtr:
			err = fmt.Errorf("line %d: the kernel uses a number as an address, and addresses are the device's", in.Loc.Line)
		case in.Op == ir.OpLoad && in.Results[0].Type.Kind == ir.Pointer && !ofThreads(in.Args[0]):
			err = fmt.Errorf("line %d: the kernel loads a pointer, and addresses in memory are the device's", in.Loc.Line)
		}
		return err == nil
	})
	return err
}

// ofThreads reports whether an address is that of a variable of the kernel's own.
func ofThreads(v *ir.Value) bool {
	for v.Def != nil {
		switch v.Def.Op {
		case ir.OpAlloca, ir.OpSharedAddr:
			return true
		case ir.OpOffset, ir.OpField:
			v = v.Def.Args[0]
		default:
			return false
		}
	}
	return false
}

// code is a kernel that can be launched.
type code struct {
	engine   *exec.Engine
	pipeline *dispatch.Pipeline
}

// Check refuses what does not fit the kernel.
func (c *code) Check(l *internal.Launch) error {
	group := dispatch.Size{uint64(l.Group[0]), uint64(l.Group[1]), uint64(l.Group[2])}
	var memory []uint64
	for i := range l.Arguments {
		if a := &l.Arguments[i]; a.Threadgroup {
			memory = append(memory, uint64(a.Length))
		}
	}
	if err := c.pipeline.CheckGroup(group, memory); err != nil {
		return err
	}
	for i := range c.pipeline.Args {
		if p := &c.pipeline.Args[i]; p.Active {
			if err := checkArgument(p, l.Arguments); err != nil {
				return fmt.Errorf("%s: %w", describe(p), err)
			}
		}
	}
	return nil
}

// checkArgument returns an error if what is bound for a parameter does not fit.
func checkArgument(p *ir.Arg, list []internal.Argument) error {
	threadgroup := p.Kind == ir.ArgThreadgroup
	for i := range list {
		a := &list[i]
		if a.Threadgroup != threadgroup || a.Index != uint(p.Index) {
			continue
		}
		length := a.Length
		if a.Bytes != nil {
			length = uint(len(a.Bytes))
		}
		switch align := uint(max(p.Align, 1)); {
		case threadgroup:
		case length < uint(p.Size):
			return fmt.Errorf("has %d bytes, the kernel takes at least one %s of %d: %w", length, p.Type, p.Size,
				compute.ErrRange)
		case a.Offset%align != 0:
			return fmt.Errorf("begins at byte %d, want a multiple of %d: %w", a.Offset, align, compute.ErrRange)
		}
		return nil
	}
	return errors.New("nothing is bound")
}

// Run runs a launch.
func (c *code) Run(ctx context.Context, l *internal.Launch) error {
	space := &exec.Space{}
	next := uint32(exec.MinObject)
	object := func(data []byte, readOnly bool) uint32 {
		id := next
		space.Set(id, exec.Object{Data: data, ReadOnly: readOnly})
		next++
		return id
	}
	launch := exec.Launch{Grid: l.Grid, Group: l.Group, Space: space,
		Buffers: make([]uint64, limits.MaxBuffers), Constants: c.pipeline.Constants,
		Priority: exec.Priority(l.Priority)}
	launch.Fuel = cmp.Or(l.Work, dispatch.DefaultFuel(launch.Grid))
	for i := range l.Memory {
		object(l.Memory[i].Data, !l.Memory[i].Writes)
	}
	for i := range l.Arguments {
		switch a := &l.Arguments[i]; {
		case a.Threadgroup:
			if launch.Threadgroup == nil {
				launch.Threadgroup = make([]int, limits.MaxMemory)
			}
			launch.Threadgroup[a.Index] = int(a.Length)
		case a.Bytes != nil:
			launch.Buffers[a.Index] = exec.Address(object(a.Bytes, true), 0)
		default:
			launch.Buffers[a.Index] = exec.Address(exec.MinObject+uint32(a.Memory), uint64(a.Offset))
		}
	}
	err := c.engine.Run(ctx, c.pipeline.Code, &launch)
	if errors.Is(err, exec.ErrFuel) {
		return fmt.Errorf("%w: %w; compute.WithWorkBudget gives each launch more", compute.ErrTimeout, err)
	}
	return err
}
