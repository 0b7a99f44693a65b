package softmetal

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/engines"
)

// Engine describes in one line what runs kernels, and why nothing faster does.
func Engine() string { return engines.Describe() }

// Work returns the units of work that all dispatches of the process have done, and how many of them
// machine code did. Commands in progress count in parts.
func Work() (all, machine int64) {
	s := exec.TotalSpent()
	return s.All, s.Machine
}
