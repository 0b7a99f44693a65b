package lir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestOwnOps checks that each operation that package ir lacks has a row whose group agrees with its
// name.
func TestOwnOps(t *testing.T) {
	for op := range Op(NumOps) + 1 {
		own := int(op) >= ir.NumOps && op < numOps
		name := op.String()
		assert.Equal(t, own, op < numOps && ownOps[op].name != "", "%d", op)
		assert.Equal(t, own, op < numOps && ownOps[op].group != 0, "%d", op)
		assert.Equal(t, own && strings.HasPrefix(name, "mask."), op.OnMasks(), name)
		assert.Equal(t, own && (strings.HasPrefix(name, "jump") || name == "back"), op.IsJump(), name)
	}
	assert.Equal(t, "op?", numOps.String())
}
