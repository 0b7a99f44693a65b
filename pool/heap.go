package pool

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/mtl"
)

// Sizes of heaps, after PyTorch's allocator for Metal: most programs are served by the first, and those that are not show it.
const (
	smallHeap  = 8 << 20
	mediumHeap = 32 << 20
	largeHeap  = 1 << 30
	// A block takes at most an eighth of a heap, so that at most an eighth is lost at its end, and few others have to go before the heap can.
	heapShare = 8
	// A heap is at most this part of what there is.
	heapGrowth = 8
)

// heap is one heap of Metal's, from which blocks are cut.
type heap struct {
	metal  mtl.Heap
	size   uint
	blocks map[*slot]struct{}

	leaving bool // its blocks are being copied elsewhere: nothing new comes here
}

// kindPool is the memory of one kind.
type kindPool struct {
	kind     Kind
	options  mtl.ResourceOptions
	classes  [numClasses]class
	heaps    []*heap
	direct   int  // blocks that are in no heap
	heaped   uint // bytes of heaps
	straight uint // bytes of blocks that are in no heap
}

// heapSize returns how long a new heap for a block should be, 0 for none: the block is too long. The more memory of the kind a program has, the longer the next
// heap, but never more than an eighth of that, so that what a heap has not been used for yet does not count for much.
func (k *kindPool) heapSize(need, working uint) uint {
	size := uint(smallHeap)
	switch has := k.reserved(); {
	case has >= heapGrowth*largeHeap && working/8 >= largeHeap:
		size = largeHeap
	case has >= heapGrowth*mediumHeap:
		size = mediumHeap
	}
	if need > size/heapShare {
		return 0
	}
	return size
}

// newHeap makes a heap.
func (p *Pool) newHeap(k *kindPool, size uint) (*heap, error) {
	d, err := mtl.NewHeapDescriptor()
	if err != nil {
		return nil, err
	}
	defer d.Release()
	d.SetSize(size)
	d.SetStorageMode(k.options.StorageMode())
	d.SetCpuCacheMode(k.options.CPUCacheMode())
	d.SetHazardTrackingMode(k.options.HazardTrackingMode())
	m, err := p.device.NewHeap(d)
	if err != nil {
		return nil, err
	}
	h := &heap{metal: m, size: size, blocks: map[*slot]struct{}{}}
	k.heaps = append(k.heaps, h)
	k.heaped += size
	return h, nil
}

// cut makes a block's buffer: from a heap with room, from a new heap, or, where it is long or there is no room for a heap, from the device. The lock is held.
func (p *Pool) cut(k *kindPool, s *slot) error {
	capacity := s.class.capacity
	if done, err := p.cutFromHeap(k, s); done || err != nil {
		return err
	}
	if err := p.makeRoom(capacity); err != nil {
		return err
	}
	var err error
	if s.buffer, err = p.device.NewBuffer(capacity, k.options); err != nil {
		return err
	}
	k.direct++
	k.straight += capacity
	return nil
}

// cutFromHeap makes a block's buffer in a heap, and reports false where it cannot be: it is long, there is no room for a heap, or the kind has no heaps, since
// those of a device with memory of its own are private.
func (p *Pool) cutFromHeap(k *kindPool, s *slot) (done bool, err error) {
	if k.kind.Storage != mtl.StorageModePrivate && !p.unified {
		return false, nil
	}
	need, err := p.device.HeapBufferSizeAndAlign(s.class.capacity, k.options)
	if err != nil {
		return false, err
	}
	size := k.heapSize(need.Size, p.working)
	if size == 0 {
		return false, nil
	}
	h, err := p.heapFor(k, need, size)
	if noMemory(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, s.from(h, k.options)
}

// heapFor returns a heap with room, or a new one.
func (p *Pool) heapFor(k *kindPool, need mtl.SizeAndAlign, size uint) (*heap, error) {
	for i := len(k.heaps) - 1; i >= 0; i-- { // the newest first: the older ones are fuller
		h := k.heaps[i]
		if h.leaving {
			continue
		}
		free, err := h.metal.MaxAvailableSize(need.Align)
		if err != nil {
			return nil, err
		}
		if free >= need.Size {
			return h, nil
		}
	}
	if err := p.makeRoom(size); err != nil {
		return nil, err
	}
	return p.newHeap(k, size)
}

// noMemory reports whether an error says that the device or the watermark has no room.
func noMemory(err error) bool { return errors.Is(err, mtl.ErrMemory) || errors.Is(err, ErrMemory) }

// from makes the slot's buffer in a heap.
func (s *slot) from(h *heap, options mtl.ResourceOptions) (err error) {
	if s.buffer, err = h.metal.NewBuffer(s.class.capacity, options); err != nil {
		return err
	}
	s.heap = h
	h.blocks[s] = struct{}{}
	return nil
}

// free gives a slot's buffer back. The lock is held.
func (k *kindPool) free(s *slot) {
	s.buffer.Release()
	s.buffer = mtl.Buffer{}
	if s.heap != nil {
		delete(s.heap.blocks, s)
		s.heap = nil
		return
	}
	k.direct--
	k.straight -= s.class.capacity
}

// sweep gives empty heaps back. The lock is held.
func (k *kindPool) sweep() {
	kept := k.heaps[:0]
	for _, h := range k.heaps {
		if len(h.blocks) > 0 {
			kept = append(kept, h)
			continue
		}
		h.metal.Release()
		k.heaped -= h.size
	}
	clear(k.heaps[len(kept):])
	k.heaps = kept
}

// reserved is how many bytes the kind has from the device.
func (k *kindPool) reserved() uint { return k.heaped + k.straight }

// allocate makes a new block. When there is no room it gives back everything idle and tries again before it fails. The lock is held.
func (p *Pool) allocate(k *kindPool, c *class) (*slot, error) {
	s := &slot{pool: p, class: c}
	err := p.cut(k, s)
	if err != nil && noMemory(err) {
		p.drain()
		p.release(everything)
		err = p.cut(k, s)
	}
	if err != nil {
		if noMemory(err) && !errors.Is(err, ErrMemory) {
			err = errors.Join(ErrMemory, err)
		}
		return nil, fmt.Errorf("pool: block of %d bytes of %v: %w", c.capacity, k.kind, err)
	}
	p.reservedHigh = max(p.reservedHigh, p.reserved())
	return s, nil
}
