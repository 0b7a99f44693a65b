package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// When a device was lost, another accelerator is opened, and what Metal has made for it takes the
// place of what Metal has made for this one: its device, pool and caches, and a new object for each
// program, kernel, buffer, texture, sampler and indirect command buffer that the program has. So
// all handles go on. The other accelerator is left with what is lost, and is closed.

// swapTime is how long calls that make objects may take to end before the device is replaced.
const swapTime = 10 * time.Second

// swap calls do while no call makes objects of the device.
func (a *Accelerator) swap(ctx context.Context, do func(ctx context.Context) error) error {
	end, err := a.core.BeginSwap()
	if err != nil {
		return err
	}
	defer end()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), swapTime)
	defer cancel()
	if err := errors.Join(a.core.Calls.Wait(limited), a.cache.memory.Wait(limited)); err != nil {
		return fmt.Errorf("compute: accelerator %s: %w: %w", a.info.Name, ErrBusy, err)
	}
	return do(guard.Inside(ctx))
}

// renewal is everything that is made on an accelerator for another one.
type renewal struct {
	from     *Accelerator
	memories []*stream.Remade
	programs map[*Program]*Program
	kernels  map[*Kernel]*Kernel
	samplers map[*Sampler]mtl.SamplerState
}

// adopt implements guard.Hooks.
func (a *Accelerator) adopt(ctx context.Context, b *Accelerator) error {
	if b == a || b.missing() {
		return fmt.Errorf("compute: the accelerator that is lost was opened: %w", ErrOption)
	}
	return a.swap(ctx, func(ctx context.Context) (err error) {
		r := &renewal{from: b, programs: map[*Program]*Program{}, kernels: map[*Kernel]*Kernel{},
			samplers: map[*Sampler]mtl.SamplerState{}}
		objc.Pool(func() { err = r.make(ctx, a) })
		if err != nil {
			r.drop()
			return fmt.Errorf("compute: opening %s again: %w", a.info.Name, err)
		}
		objc.Pool(func() { r.install(ctx, a) })
		return nil
	})
}

// openPrograms returns the programs of the accelerator, without those of other forms.
func (a *Accelerator) openPrograms() (all []*Program) {
	a.core.Mu.Lock()
	for c := range a.core.Opened {
		if p, ok := c.(*Program); ok {
			all = append(all, p)
		}
	}
	a.core.Mu.Unlock()
	a.keptMu.Lock()
	for _, p := range a.kept {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	a.keptMu.Unlock()
	return all
}

// make makes the objects. If it fails, drop releases them.
func (r *renewal) make(ctx context.Context, a *Accelerator) error {
	for _, p := range a.openPrograms() {
		if err := r.program(ctx, p, func() (*Program, error) {
			return r.from.compileMetal(ctx, p.source, p.options, p.translation)
		}); err != nil {
			return err
		}
	}
	for _, m := range a.core.AllMemory() {
		if m.Open() != nil && m.Idle() {
			continue // it is being released
		}
		if err := r.memory(m); err != nil {
			return fmt.Errorf("%v: %w", m, err)
		}
	}
	a.samplersMu.Lock()
	defer a.samplersMu.Unlock()
	for o, s := range a.samplers {
		made, err := o.metal(r.from.device)
		if err != nil {
			return err
		}
		r.samplers[s] = made
	}
	return nil
}

// program compiles a program again, and makes its kernels and their other forms.
func (r *renewal) program(ctx context.Context, p *Program, compile func() (*Program, error)) error {
	p.mu.Lock()
	closed := p.closed || p.library == nil
	kernels, forms := make([]*Kernel, 0, len(p.kernels)), make(map[formKey]*programForm)
	for _, k := range p.kernels {
		kernels = append(kernels, k)
	}
	for key, f := range p.forms {
		forms[key] = f
	}
	p.mu.Unlock()
	if closed {
		return nil
	}
	fresh, err := compile()
	if err != nil {
		return err
	}
	r.programs[p] = fresh
	for _, k := range kernels {
		if r.kernels[k], err = fresh.KernelContext(ctx, k.core.Name, k.constants...); err != nil {
			return err
		}
	}
	for key, f := range forms {
		if err := r.program(ctx, f.program, func() (*Program, error) {
			made, err := fresh.form(ctx, key)
			if err != nil {
				return nil, err
			}
			return made.program, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// memory makes the buffer or the textures of a memory.
func (r *renewal) memory(m *stream.Memory) error {
	n, err := r.from.core.Remake(m)
	if err == nil {
		err = remakeTextures(n, r.from.device)
	}
	if err != nil {
		n.Drop()
		return err
	}
	r.memories = append(r.memories, n)
	return nil
}

// remakeTextures makes the textures of a memory on a device.
func remakeTextures(n *stream.Remade, device mtl.Device) error {
	return n.Views(func(key any) (mtl.Texture, error) {
		if key == nil {
			return n.Memory.Surface().(*surface).make(device)
		}
		k := key.(textureKey)
		if k.parent == nil {
			return k.linear(n.Buffer, n.Stored)
		}
		parent, ok := n.Textures[k.parent]
		if !ok {
			return mtl.Texture{}, nil
		}
		return parent.NewViewWithSwizzle(k.format, k.shape.Type,
			mtl.Range{Location: uint(k.first[0]), Length: uint(k.shape.Levels)},
			mtl.Range{Location: uint(k.first[1]), Length: uint(k.shape.layers())}, k.swizzle)
	})
}

// linear makes the texture of a key that is backed by a buffer.
func (k *textureKey) linear(b mtl.Buffer, mode mtl.StorageMode) (mtl.Texture, error) {
	d, err := k.shape.descriptor(k.format, k.usage, mtl.MakeResourceOptions(mode, b.CpuCacheMode(),
		mtl.HazardTrackingModeUntracked))
	if err != nil {
		return mtl.Texture{}, err
	}
	defer d.Release()
	return b.NewTexture(d, uint(k.first[0]), uint(k.first[1])*knownFormat(k.format).size())
}

// drop releases everything.
func (r *renewal) drop() {
	for _, n := range r.memories {
		n.Drop()
	}
	for _, p := range r.programs {
		p.Close() // of forms again, which does nothing
	}
	for _, s := range r.samplers {
		s.Release()
	}
}

// install puts everything into its place, and gives the other accelerator what was there.
func (r *renewal) install(ctx context.Context, a *Accelerator) {
	b := r.from
	a.device, b.device = b.device, a.device
	a.pool, b.pool = b.pool, a.pool
	a.core.Device, b.core.Device = b.core.Device, a.core.Device
	a.core.Pool, b.core.Pool = b.core.Pool, a.core.Pool
	a.cache, b.cache = b.cache, a.cache
	a.findings, b.findings = b.findings, a.findings
	if a.info.RegistryID != b.info.RegistryID || a.info.Name != b.info.Name {
		a.info, b.info = b.info, a.info
		a.readWrite = b.readWrite
		a.core.Info, a.core.DispatchesNone = b.core.Info, b.core.DispatchesNone
	}
	a.core.Epoch.Add(1)
	for _, n := range r.memories {
		n.Install()
	}
	for p, fresh := range r.programs {
		p.take(fresh)
	}
	for k, fresh := range r.kernels {
		k.take(fresh)
	}
	for s, made := range r.samplers {
		s.metal.Release()
		s.metal = made
	}
	a.core.Gone.Store(false)
	for _, s := range a.openStreams() { // their next command buffers make new queues
		s.mu.Lock()
		s.metal.release()
		s.mu.Unlock()
	}
	b.core.Mu.Lock()
	b.core.Opened = nil // they are a's now
	b.core.Mu.Unlock()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), swapTime)
	defer cancel()
	if err := b.Close(limited); err != nil { // a device that is lost may hold on to something
		a.log.Warn("compute: closing what a lost device had", "error", err)
	}
}

// take takes what Metal has made for a program on another device.
func (p *Program) take(fresh *Program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh.mu.Lock()
	defer fresh.mu.Unlock()
	if p.closed {
		fresh.library.Release()
	} else {
		p.library.Release()
		p.library = fresh.library
	}
	fresh.closed = true // its kernels are p's, and so are its forms
}

// take takes the pipeline of a kernel on another device.
func (k *Kernel) take(fresh *Kernel) {
	k.core.Indirect.Mu.Lock()
	defer k.core.Indirect.Mu.Unlock()
	k.core.Indirect.Release()
	k.core.Indirect.State, k.core.Indirect.Err, k.core.Indirect.Nothing = mtl.ComputePipelineState{}, nil, nil
	k.shared.Release()
	k.shared = fresh.shared
	made := *fresh.core.Made()
	made.Epoch = k.acc.core.Epoch.Load()
	k.core.SetMade(made)
}

// toHost implements guard.Hooks.
func (a *Accelerator) toHost(ctx context.Context) error {
	return a.swap(ctx, func(context.Context) (err error) {
		objc.Pool(func() {
			for _, m := range a.core.AllMemory() {
				if m.Mode() == mtl.StorageModeShared || m.Surface() != nil {
					continue
				}
				wanted := m.Mode()
				n := &stream.Remade{Memory: m, Stored: mtl.StorageModeShared, Textures: map[*stream.TextureCell]mtl.Texture{}}
				if err = n.Rent(&a.core); err == nil {
					err = remakeTextures(n, a.device)
				}
				if err != nil {
					n.Drop()
					return
				}
				n.Install()
				m.SetWanted(wanted)
			}
			a.core.Gone.Store(true)
		})
		return err
	})
}

// current returns an error for a command that was made for a device that is lost and that cannot go
// to another one. It encodes indirect commands for this one.
func (a *Accelerator) current(ctx context.Context, w *stream.Work) error {
	now := a.core.Epoch.Load()
	if now == 0 {
		return nil
	}
	lost := func(why string) error { return &stream.LostError{Err: fmt.Errorf("compute: %v: %s", w, why)} }
	switch c := w.Command.(type) {
	case *encoding:
		if c.epoch != now {
			return lost("they were recorded for a device that is lost")
		}
	case *stream.Launch:
		return currentLaunch(ctx, c)
	case *stream.IndirectChange:
		return c.Commands.Renew(ctx)
	case *stream.Execution:
		if err := c.Commands.Renew(ctx); err != nil {
			return err
		}
		if c.HasMoved() {
			return lost("it has an address in a device that is lost")
		}
	}
	return nil
}

// currentLaunch returns an error if the launch does not suit the device that was opened again.
func currentLaunch(ctx context.Context, l *stream.Launch) error {
	k := l.Kernel
	now := k.Acc.Epoch.Load()
	wrong := func(why string) error {
		return &stream.LostError{Err: &LaunchError{Kernel: k.Name, Err: errors.New(why)}}
	}
	if k.Made().Epoch != now {
		return wrong("its program was closed before the device was lost")
	}
	for i := range l.Args {
		a := &l.Args[i]
		switch {
		case a.Kind != stream.OtherParameter || a.Overwrites:
		case a.View.Mem != nil && (a.View.Mem.HasMoved() || a.Cell != nil && l.Epoch != now):
			return wrong(fmt.Sprintf("the kernel finds %v by its address in a device that is lost", a.View.Mem))
		case a.Used != nil && l.Epoch != now:
			return wrong("it has a handle of a device that is lost")
		case a.Commands != nil:
			if err := a.Commands.Renew(ctx); err != nil {
				return err
			}
			if a.Commands.HasMoved() {
				return wrong(fmt.Sprintf("the kernel has a handle of %v in a device that is lost", &a.Commands.Life))
			}
		}
	}
	if n := l.Group.Width * l.Group.Height * l.Group.Depth; n > k.Made().Limits.MaxTotalThreadsPerThreadgroup {
		return wrong(fmt.Sprintf("threadgroups of %d threads; the device that was opened again allows %d", n,
			k.Made().Limits.MaxTotalThreadsPerThreadgroup))
	}
	return nil
}
