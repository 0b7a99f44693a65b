package compute

import (
	"fmt"
	"strings"
)

// LeakError lists the objects that were still open when an accelerator was closed. Close has
// released them.
type LeakError struct {
	Objects []string // descriptions, with [WithLeakCheck] including where they were made
	lines   bool     // each has a line of its own
}

// Error lists the objects.
func (e *LeakError) Error() string {
	before, between := " ", ", "
	if e.lines {
		before, between = "\n    ", "\n    "
	}
	return fmt.Sprintf("compute: %d objects were open at Close:%s%s", len(e.Objects), before,
		strings.Join(e.Objects, between))
}

// WithLeakCheck is for tests: the [LeakError] of [Accelerator.Close] then contains the line of the
// program on which each object was made. Buffers and textures that become unreachable are not
// closed by the garbage collector, so that they are listed too.
func WithLeakCheck() Option {
	return func(c *config) error {
		c.leakCheck = true
		return nil
	}
}
