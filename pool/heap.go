package pool

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/mtl"
)

// Heap sizes, after PyTorch's allocator for Metal. The smallest is enough for most programs.
const (
	smallHeap  = 8 << 20
	mediumHeap = 32 << 20
	largeHeap  = 1 << 30
	// A block takes at most an eighth of a heap, so that at most an eighth is wasted at its end, and
	// only few blocks keep a heap alive.
	heapShare = 8
	// A heap is at most this fraction of the reserved memory.
	heapGrowth = 8
)

// heap is a Metal heap in which blocks are placed.
type heap struct {
	metal  mtl.Heap
	size   uint
	blocks map[*slot]struct{}

	evacuating bool // its blocks are being copied elsewhere, so no new block is placed in it
}

// kindPool holds the memory of one kind.
type kindPool struct {
	kind        Kind
	options     mtl.ResourceOptions
	classes     [numClasses]class
	heaps       []*heap
	direct      int  // blocks outside of heaps
	heapBytes   uint // bytes of heaps
	directBytes uint // bytes of blocks outside of heaps
}

// heapSize returns the size of a new heap for a block, or 0 if the block is too large for one.
// Heaps are larger as the program allocates more, but at most an eighth of the reserved memory, so
// that the unused part of a new heap is small in comparison.
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
	k.heapBytes += size
	return h, nil
}

// newBuffer creates a block's buffer in a heap with room or in a new heap. If the block is large or
// there is no room for a heap, it allocates the buffer directly from the device. The lock is held.
func (p *Pool) newBuffer(k *kindPool, s *slot) error {
	capacity := s.class.capacity
	if done, err := p.newHeapBuffer(k, s); done || err != nil {
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
	k.directBytes += capacity
	return nil
}

// newHeapBuffer creates a block's buffer in a heap. It returns false if the block is too large, if
// there is no room for a heap, or if the kind has no heaps: on a device with its own memory, heaps
// are private.
func (p *Pool) newHeapBuffer(k *kindPool, s *slot) (done bool, err error) {
	if k.kind.Storage != mtl.StorageModePrivate && !p.unified {
		return false, nil
	}
	need, err := p.device.HeapBufferSizeAndAlign(s.class.capacity, k.options)
	if err != nil {
		return false, err
	}
	size := k.heapSize(need.Size, p.workingSet)
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
	return true, s.newBufferIn(h, k.options)
}

// heapFor returns a heap with room, or a new one.
func (p *Pool) heapFor(k *kindPool, need mtl.SizeAndAlign, size uint) (*heap, error) {
	for i := len(k.heaps) - 1; i >= 0; i-- { // newest first, as older heaps are fuller
		h := k.heaps[i]
		if h.evacuating {
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

// noMemory reports whether an error means that the device is out of memory or the watermark is
// reached.
func noMemory(err error) bool { return errors.Is(err, mtl.ErrMemory) || errors.Is(err, ErrMemory) }

// newBufferIn makes the slot's buffer in a heap.
func (s *slot) newBufferIn(h *heap, options mtl.ResourceOptions) (err error) {
	if s.buffer, err = h.metal.NewBuffer(s.class.capacity, options); err != nil {
		return err
	}
	s.heap = h
	h.blocks[s] = struct{}{}
	return nil
}

// free releases a slot's buffer. The lock is held.
func (k *kindPool) free(s *slot) {
	s.buffer.Release()
	s.buffer = mtl.Buffer{}
	if s.heap != nil {
		delete(s.heap.blocks, s)
		s.heap = nil
		return
	}
	k.direct--
	k.directBytes -= s.class.capacity
}

// releaseEmptyHeaps releases heaps without blocks. The lock is held.
func (k *kindPool) releaseEmptyHeaps() {
	kept := k.heaps[:0]
	for _, h := range k.heaps {
		if len(h.blocks) > 0 {
			kept = append(kept, h)
			continue
		}
		h.metal.Release()
		k.heapBytes -= h.size
	}
	clear(k.heaps[len(kept):])
	k.heaps = kept
}

// reserved returns the bytes that the kind has allocated from the device.
func (k *kindPool) reserved() uint { return k.heapBytes + k.directBytes }

// allocate creates a new block. If there is no room, it releases all idle blocks and tries once
// more. The lock is held.
func (p *Pool) allocate(k *kindPool, c *class) (*slot, error) {
	s := &slot{pool: p, class: c}
	err := p.newBuffer(k, s)
	if err != nil && noMemory(err) {
		p.drain()
		p.release(allBytes)
		err = p.newBuffer(k, s)
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
