//go:build !amd64 || !(linux || darwin || windows)

package execmem

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnsupported(t *testing.T) {
	m, err := Alloc([]byte{0xc3})
	assert.Nil(t, m)
	assert.ErrorIs(t, err, ErrUnsupported)
	assert.ErrorIs(t, Available(), ErrUnsupported)
}
