package device

import (
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
)

// handles allocates the numbers that identify textures, or samplers, to kernels. A number is reused
// only after some others have been returned since, so that a stale one finds nothing for a while.
type handles struct {
	mu   sync.Mutex
	next uint32
	back []uint32
}

// quarantine is how many numbers rest.
const quarantine = 64

// Take returns a number, 0 when all are in use.
func (h *handles) Take() uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.back) > quarantine || h.next >= exec.MaxHandle && len(h.back) > 0 {
		n := h.back[0]
		h.back = h.back[1:]
		return n
	}
	if h.next >= exec.MaxHandle {
		return 0
	}
	h.next++
	return h.next
}

// Give takes a number back.
func (h *handles) Give(n uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.back = append(h.back, n)
}
