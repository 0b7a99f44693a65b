package device

import (
	"testing"

	"github.com/puremetal/puremetal/internal/machine"

	"github.com/stretchr/testify/assert"
)

// TestShares: neither the recommendation nor 1.2 times it, which package compute allows, nor what
// the device takes is more than there is.
func TestShares(t *testing.T) {
	const gib = 1 << 30
	for name, test := range map[string]struct {
		room              machine.Room
		recommended, most uint64
	}{
		"idle":      {machine.Room{Total: 30 * gib, Free: 30 * gib}, 20 * gib, 27 * gib},
		"large":     {machine.Room{Total: 40 * gib, Free: 40 * gib}, 30 * gib, 36 * gib},
		"busy":      {machine.Room{Total: 30 * gib, Free: 20 * gib}, 15 * gib, 18 * gib},
		"container": {machine.Room{Total: gib, Free: gib}, gib / 3 * 2, gib / 10 * 9},
		"full":      {machine.Room{Total: gib}, leastShare, leastShare},
	} {
		t.Run(name, func(t *testing.T) {
			recommended, most := shares(test.room)
			assert.Equal(t, test.recommended, recommended)
			assert.Equal(t, test.most, most)
			assert.LessOrEqual(t, recommended/10*12, max(most, 2*leastShare))
		})
	}
}
