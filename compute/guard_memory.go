package compute

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// newSafeMemory makes the memory of a buffer, with a host copy if it is to have one.
func (a *Accelerator) newSafeMemory(ctx context.Context, length uint, o BufferOptions) (m *stream.Memory, err error) {
	if err := a.protect(ctx, "a buffer", func() (err error) {
		m, err = a.newMemory(length, o)
		return err
	}); err != nil {
		return nil, err
	}
	if err := keepMemory(m, o.HostCopy); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// keepMemory gives new memory a host copy if it is to have one.
func keepMemory(m *stream.Memory, wanted bool) error {
	if wanted && m.Acc.Guard == nil {
		return fmt.Errorf("compute: %v: HostCopy needs an accelerator of package resilience: %w", m, ErrOption)
	}
	return m.Keep(wanted)
}

// refresh makes the device's memory that of its host copy. Nothing else uses the memory.
func refresh(ctx context.Context, m *stream.Memory) error {
	c := m.HostCopy()
	if c == nil {
		return nil
	}
	c.Mu.Lock()
	stale := c.Stale
	c.Filling = stale
	c.Mu.Unlock()
	if !stale {
		return nil
	}
	var err error
	if m.Texture() != "" {
		err = moveTexels(ctx, m, c.Data, true)
	} else {
		err = uploadMemory(m, ctx, 0, c.Data)
	}
	c.Mu.Lock()
	c.Filling, c.Stale = false, err != nil
	c.Mu.Unlock()
	return err
}

// fetch copies a range of the device's memory to the host; KeepFetched makes it the host copy.
func fetch(ctx context.Context, m *stream.Memory, offset, length uint) error {
	c := m.HostCopy()
	if c.Spare == nil {
		c.Spare = make([]byte, len(c.Data))
	}
	if m.Texture() != "" {
		return moveTexels(ctx, m, c.Spare, false)
	}
	return downloadMemory(m, ctx, offset, c.Spare[offset:offset+length])
}

// moveTexels copies all levels of a texture to or from the host.
func moveTexels(ctx context.Context, m *stream.Memory, data []byte, upload bool) error {
	root := m.Surface().(*surface)
	a := acceleratorOf(m)
	s, err := a.transferStream()
	if err != nil {
		return err
	}
	for level := range root.shape.Levels {
		part := root
		if root.shape.Levels > 1 {
			if part, err = root.part(root.format, TextureView{Format: root.format.format, Level: level, Levels: 1,
				Layers: root.shape.layers()}); err != nil {
				return err
			}
		}
		boxes, _, err := part.boxes(Region{})
		if err != nil {
			return err
		}
		portions := part.portions(boxes, maxStaging)
		stage, err := a.newStage(longest(portions), stagingIntent(upload))
		if err != nil {
			return err
		}
		n := uint(0)
		for i := range portions {
			p := &portions[i]
			if err = p.move(ctx, s, stream.ViewOf(stage, 0, p.length), data[p.at:p.at+p.length], upload); err != nil {
				break
			}
			n = p.at + p.length
		}
		stage.Close()
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// move copies one portion, whatever its poison is, of memory that may be closed: the caller has
// counted a use.
func (p *portion) move(ctx context.Context, s *Stream, here stream.View, data []byte, upload bool) error {
	w := p.copy(here, upload)
	w.Command.(*textureBlit).Held = true
	if upload {
		if err := here.Mem.Write(0, data); err != nil {
			return err
		}
		return s.transferAndSync(ctx, w)
	}
	if err := s.transferAndSync(ctx, w); err != nil {
		return err
	}
	return here.Mem.Read(0, data)
}

// lose implements guard.Hooks.
func (a *Accelerator) lose(why func(string) error) (names []string) {
	for _, m := range a.core.AllMemory() {
		if m.Lose(why) && m.Label != stagingLabel {
			names = append(names, m.String())
		}
	}
	return names
}

// newHostMemory makes memory of the host for a device that is gone, in the place of another kind.
func (a *Accelerator) newHostMemory(length uint, o BufferOptions, mode mtl.StorageMode) (*stream.Memory, error) {
	shared := mtl.StorageModeShared
	o.Intent, o.Storage, o.Relocatable = HostVisible, &shared, false
	m, err := a.newMemory(length, o)
	if err == nil {
		m.SetWanted(mode)
	}
	return m, err
}
