package typeenc

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInFamily(t *testing.T) {
	for _, s := range []string{"init", "initWithDevice:", "_init", "init:", "init_"} {
		assert.True(t, InFamily(s, "init"), s)
	}
	for _, s := range []string{"", "ini", "initialize", "initial:", "newInit"} {
		assert.False(t, InFamily(s, "init"), s)
	}
}
