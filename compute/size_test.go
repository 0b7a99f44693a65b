package compute

import (
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/stretchr/testify/assert"
)

// TestMemorySize: renting a buffer costs about as much as the allocation of its record, so the
// record stays within the 128 bytes of one of Go's size classes.
func TestMemorySize(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(stream.Memory{}), uintptr(128))
}
