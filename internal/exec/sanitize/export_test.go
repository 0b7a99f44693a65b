package sanitize

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
)

// Bytewise is Launch with a cell for each byte, and with each lane compared on its own.
func (s *Sanitizer) Bytewise(l *exec.Launch) hook.Hook {
	h := s.Launch(l)
	h.(*watcher).launch.bytewise = true
	return h
}
