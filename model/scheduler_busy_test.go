package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
)

// TestBusy fills the waiting room of a scheduler that computes nothing.
func TestBusy(t *testing.T) {
	m := &Model{config: Config{Vocabulary: 10}, options: Options{Context: 8}}
	s := &Scheduler{model: m, options: SchedulerOptions{Active: 1, Waiting: 2}, wake: make(chan struct{}, 1)}
	for range 2 {
		_, err := s.add(t.Context(), []int32{1}, Generation{})
		require.NoError(t, err)
	}
	_, err := s.add(t.Context(), []int32{1}, Generation{})
	assert.ErrorIs(t, err, ErrBusy)
	active, waiting := s.Load()
	assert.Equal(t, [2]int{0, 2}, [2]int{active, waiting})
}

// TestSlabs makes sequences, which share memory, and closes them in another order.
func TestSlabs(t *testing.T) {
	acc, err := compute.Open()
	require.NoError(t, err)
	defer func() { assert.NoError(t, acc.Close(t.Context())) }()
	e, err := tensor.New(acc)
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close(t.Context())) }()
	m := &Model{engine: e, config: Config{Layers: 1, KVHeads: 1, HeadSize: 1, ValueSize: 1},
		options: Options{Context: 1, CacheFormat: tensor.PackedF32}}
	var list []*Sequence
	places := map[cache]bool{}
	for range 64 {
		q, err := m.NewSequence()
		require.NoError(t, err)
		list = append(list, q)
		places[q.cache] = true
	}
	assert.Len(t, places, 64)
	assert.Len(t, m.slabs.list, 12)
	slots := 0
	for _, s := range m.slabs.list {
		slots += s.slots
	}
	assert.LessOrEqual(t, slots, 96)
	list[5].Close()
	list[5].Close()
	again, err := m.newSequence(8)
	require.NoError(t, err)
	assert.Len(t, m.slabs.list, 12, "there was a free slot")
	m.slabs.spoil([]part{{cache: &again.cache}})
	spoiled := again.cache.slab
	again.Close()
	again, err = m.NewSequence()
	require.NoError(t, err)
	assert.NotSame(t, spoiled, again.cache.slab)
	again.Close()
	for i, q := range list {
		if i != 5 {
			q.Close()
		}
	}
	assert.Empty(t, m.slabs.list)
}
