//go:build !puremetal_nosoftware

package objc

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
)

// openSoftware creates the software driver's runtime. Each framework is loaded when one of its
// classes or functions is first used.
func openSoftware() (*objcsoft.Runtime, error) { return softmetal.Open() }

// readEngine describes what runs kernels on the software device.
func readEngine() (Engine, error) {
	all, machine := softmetal.Work()
	return Engine{Description: softmetal.Engine(), Work: all, MachineWork: machine}, nil
}
