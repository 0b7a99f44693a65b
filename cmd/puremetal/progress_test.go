package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProgressLine(t *testing.T) {
	assert.Equal(t, "checking [                              ] 0/10", progressLine("checking", 0, 10, 0))
	assert.Equal(t, "checking [===============               ] 5/10", progressLine("checking", 5, 10, 3))
	assert.Equal(t, "checking [==============================] 10/10", progressLine("checking", 11, 10, 4))
	assert.Equal(t, "running x |", progressLine("running x", 0, 1, 4))
	assert.Equal(t, "running x \\", progressLine("running x", 0, 1, 7))
}
