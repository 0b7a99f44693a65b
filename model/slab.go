package model

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute/tensor"
)

// slab is memory for the keys and values of some sequences. The attention of all sequences of a
// slab takes one launch.
type slab struct {
	scope   *tensor.Scope
	caches  []tensor.CacheRows // by layer, without places
	free    []int              // slots
	slots   int
	spoiled bool // by failed work, so that nothing new can be computed with it
}

// slabs are a model's.
type slabs struct {
	mu   sync.Mutex
	list []*slab
}

// slot returns a free slot. If there is none, it makes a slab with the given number of slots, or
// with fewer if memory is short. With 0 it makes half as many as there are already, at most 16:
// many sequences then share few slabs, and few slots stay unused.
func (x *slabs) slot(m *Model, slots int) (cache, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.list {
		if n := len(s.free); n > 0 && !s.spoiled {
			slot := s.free[n-1]
			s.free = s.free[:n-1]
			return cache{slab: s, slot: slot}, nil
		}
	}
	if slots == 0 {
		for _, s := range x.list {
			slots += s.slots
		}
		slots = min(max(slots/2, 1), 16)
	}
	s, err := m.newSlab(slots)
	for err != nil && slots > 1 {
		slots /= 2
		s, err = m.newSlab(slots)
	}
	if err != nil {
		return cache{}, err
	}
	x.list = append(x.list, s)
	return cache{slab: s}, nil
}

// spoil keeps new sequences from the slabs of a step that failed.
func (x *slabs) spoil(parts []part) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range parts {
		p.cache.slab.spoiled = true
	}
}

// cacheType returns the type of the elements of a cache.
func cacheType(f tensor.Format) (tensor.Type, bool) {
	switch f {
	case tensor.PackedF32:
		return tensor.Float32, true
	case tensor.PackedF16:
		return tensor.Float16, true
	case tensor.PackedBF16:
		return tensor.BFloat16, true
	case tensor.Q8_0:
		return tensor.Int8, true
	}
	return 0, false
}

// checkCache returns an error unless a model can have a cache of a format.
func checkCache(f tensor.Format, c *Config) error {
	if _, ok := cacheType(f); !ok {
		return fmt.Errorf("keys and values of %v, want f32, f16, bf16 or q8_0: %w", f, tensor.ErrType)
	}
	block, _ := f.Block()
	if c.HeadSize%block != 0 || c.ValueSize%block != 0 {
		return fmt.Errorf("heads with keys of %d and values of %d elements in a cache of %v, want multiples of %d: %w",
			c.HeadSize, c.ValueSize, f, block, tensor.ErrShape)
	}
	return nil
}

// newSlab makes a slab whose first slot is not free.
func (m *Model) newSlab(slots int) (*slab, error) {
	s, c := &slab{scope: m.engine.Scope(context.Background()), slots: slots}, &m.config
	// Attention reads a feature of several keys at a time.
	keys := func(typ tensor.Type, features int) *tensor.Tensor {
		return s.scope.Full(typ, 0, slots, c.KVHeads, features, m.options.Context).Transpose(0, 1, 3, 2)
	}
	values := func(typ tensor.Type, features int) *tensor.Tensor {
		return s.scope.Full(typ, 0, slots, c.KVHeads, m.options.Context, features)
	}
	typ, _ := cacheType(m.options.CacheFormat)
	for range c.Layers {
		x := tensor.CacheRows{Keys: keys(typ, c.HeadSize), Values: values(typ, c.ValueSize)}
		if m.options.CacheFormat == tensor.Q8_0 {
			block, _ := tensor.Q8_0.Block()
			x.KeyScales, x.ValueScales = keys(tensor.Float16, c.HeadSize/block), values(tensor.Float16, c.ValueSize/block)
		}
		s.caches = append(s.caches, x)
	}
	if err := s.scope.Err(); err != nil {
		s.scope.Close()
		return nil, err
	}
	for i := slots - 1; i > 0; i-- {
		s.free = append(s.free, i)
	}
	return s, nil
}

// free gives a slot back, and closes its slab with the last one.
func (x *slabs) free(c *cache) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := c.slab
	if s == nil { // closed already
		return
	}
	c.slab = nil
	if s.free = append(s.free, c.slot); len(s.free) == s.slots {
		s.scope.Close()
		x.list = slices.DeleteFunc(x.list, func(other *slab) bool { return other == s })
	}
}
