package resilience

import (
	"cmp"
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

// Program is source that is compiled for each device that needs it.
type Program struct {
	manager *Manager
	source  string
	options compute.CompileOptions
}

// Kernel is a kernel of a [Program].
type Kernel struct {
	program   *Program
	name      string
	constants []compute.Constant
}

func (p *Program) missing() bool { return p == nil || p.manager == nil }
func (k *Kernel) missing() bool  { return k == nil || k.program == nil }

// Compile compiles source for the device, and keeps it for others.
func (m *Manager) Compile(ctx context.Context, source string, o compute.CompileOptions) (*Program, error) {
	if m.missing() {
		return nil, fmt.Errorf("resilience: Compile: nil manager: %w", compute.ErrNil)
	}
	if err := m.usable("Compile"); err != nil {
		return nil, err
	}
	p := &Program{m, source, o}
	err := m.persist(ctx, "compiling "+cmp.Or(o.Name, "a program"), func() error {
		_, err := p.on(ctx, m.device)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// on returns the program compiled for a device's accelerator.
func (p *Program) on(ctx context.Context, d *device) (*compute.Program, error) {
	if c, ok := d.forms.Load(p); ok {
		return c.(*compute.Program), nil
	}
	acc, _, err := d.current(ctx)
	if err != nil {
		return nil, err
	}
	c, err := acc.Compile(ctx, p.source, p.options)
	if err != nil {
		return nil, err
	}
	if other, loaded := d.forms.LoadOrStore(p, c); loaded {
		c.Close()
		c = other.(*compute.Program)
	}
	return c, nil
}

// Kernel returns a kernel of the program. Errors are those of [compute.Program.Kernel].
func (p *Program) Kernel(ctx context.Context, name string, constants ...compute.Constant) (*Kernel, error) {
	if p.missing() {
		return nil, fmt.Errorf("resilience: Kernel: nil program: %w", compute.ErrNil)
	}
	k := &Kernel{p, name, constants}
	err := p.manager.persist(ctx, "kernel "+name, func() error {
		_, err := k.on(ctx, p.manager.device)
		return err
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Name returns the kernel's name; "" for nil.
func (k *Kernel) Name() string {
	if k.missing() {
		return ""
	}
	return k.name
}

func (k *Kernel) on(ctx context.Context, d *device) (*compute.Kernel, error) {
	p, err := k.program.on(ctx, d)
	if err != nil {
		return nil, err
	}
	return p.KernelContext(ctx, k.name, k.constants...)
}
