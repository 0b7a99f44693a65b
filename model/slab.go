package model

import (
	"context"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute/tensor"
)

// slab is memory for the keys and values of some sequences. The attention of all sequences of a
// slab takes one launch.
type slab struct {
	scope        *tensor.Scope
	keys, values []*tensor.Tensor // by layer: [slots, groups, context, features]
	free         []int            // slots
	slots        int
	spoiled      bool // by failed work, so that nothing new can be computed with it
}

// slabs are a model's.
type slabs struct {
	mu   sync.Mutex
	list []*slab
}

// slot returns a free slot. If there is none, it makes a slab of as many slots, or as there is
// memory for; 0 stands for half of what there are, at most 16, so that many sequences have few
// slabs, and little memory is for nothing.
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

// newSlab makes a slab whose first slot is not free.
func (m *Model) newSlab(slots int) (*slab, error) {
	s, c := &slab{scope: m.engine.Scope(context.Background()), slots: slots}, &m.config
	for range c.Layers {
		// Attention reads a feature of several keys at a time.
		s.keys = append(s.keys, s.scope.Full(m.options.CacheType, 0, slots, c.KVHeads, c.HeadSize,
			m.options.Context).Transpose(0, 1, 3, 2))
		s.values = append(s.values,
			s.scope.Full(m.options.CacheType, 0, slots, c.KVHeads, m.options.Context, c.ValueSize))
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
