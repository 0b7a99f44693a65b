package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
