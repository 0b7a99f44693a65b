package model_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
)

// TestScheduler generates texts at once, and compares each with the same one by itself.
func TestScheduler(t *testing.T) {
	e := engine(t)
	_, file := tiny(t, "llama", nil)
	m, err := model.Open(t.Context(), e, file, model.Options{Context: 32})
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close(t.Context())) }()
	s, err := m.NewScheduler(model.SchedulerOptions{Active: 3, Piece: 4})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close(t.Context())) }()
	var all sync.WaitGroup
	for i := range 7 {
		prompt := make([]int32, 1+3*i)
		for j := range prompt {
			prompt[j] = int32(i*7+j*j) % vocabulary
		}
		g := model.Generation{Tokens: 4 + i, Seed: uint64(i)}
		switch i % 3 {
		case 1:
			g.Sampling = tensor.Sampling{Temperature: 1, TopK: 10}
		case 2:
			g.Repetition = 2
		}
		q, err := m.NewSequence()
		require.NoError(t, err)
		want := generated(t, q, prompt, g)
		q.Close()
		all.Go(func() {
			var got []int32
			for id, err := range s.Generate(t.Context(), prompt, g) {
				if !assert.NoError(t, err) {
					return
				}
				got = append(got, id)
			}
			assert.Equal(t, want, got, "text %d", i)
		})
	}
	all.Wait()
	active, waiting := s.Load()
	assert.Equal(t, [2]int{}, [2]int{active, waiting}, "what has ended is not counted")
}

// TestSchedulerEnds tests requests that are refused and given up.
func TestSchedulerEnds(t *testing.T) {
	e := engine(t)
	_, file := tiny(t, "llama", nil)
	m, err := model.Open(t.Context(), e, file, model.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close(t.Context())) }()
	_, err = m.NewScheduler(model.SchedulerOptions{Piece: -1})
	assert.ErrorIs(t, err, compute.ErrOption)
	s, err := m.NewScheduler(model.SchedulerOptions{Active: 1, Waiting: 1})
	require.NoError(t, err)
	first := func(ctx context.Context, prompt ...int32) (err error) {
		for _, err = range s.Generate(ctx, prompt, model.Generation{}) {
			break
		}
		return err
	}
	assert.ErrorIs(t, first(t.Context()), model.ErrContext)
	assert.ErrorIs(t, first(t.Context(), 99), model.ErrToken)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, first(gone, 1), context.Canceled)

	// One is computed, one waits, the third is refused; those that are left end with the scheduler.
	ended := make(chan error, 2)
	began := make(chan struct{})
	hold := make(chan struct{})
	go func() {
		n := 0
		for _, err := range s.Generate(t.Context(), []int32{1}, model.Generation{}) {
			if n++; n == 1 {
				close(began)
				<-hold
			}
			if err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	<-began
	require.NoError(t, first(t.Context(), 2), "the first text has ended, or a place is free after it")
	close(hold)
	<-ended
	require.NoError(t, s.Close(t.Context()))
	assert.ErrorIs(t, first(t.Context(), 1), compute.ErrClosed)
	require.NoError(t, s.Close(t.Context()))
}
