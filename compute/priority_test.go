package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBusyStreams: only streams of higher priority count, and only while they have work.
func TestBusyStreams(t *testing.T) {
	var b busyStreams
	b.begin(NormalPriority)
	b.begin(NormalPriority)
	assert.True(t, b.above(LowPriority))
	assert.False(t, b.above(NormalPriority))
	assert.False(t, b.above(HighPriority))
	b.end(NormalPriority)
	assert.True(t, b.above(LowPriority))
	assert.Equal(t, 1, b.count(NormalPriority))
	b.end(NormalPriority)
	assert.False(t, b.above(LowPriority))
	b.begin(HighPriority)
	assert.True(t, b.above(NormalPriority))
	assert.True(t, b.above(LowPriority))
	assert.False(t, b.above(HighPriority))
}
