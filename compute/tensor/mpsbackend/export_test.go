package mpsbackend

import (
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/compute/tensor"
)

// Through is With, but goes through the frameworks of the software device as well.
func Through() tensor.Option { return tensor.AddBackends(through()...) }

// ThroughForOps is ForOps in the same way.
func ThroughForOps() ops.Option { return ops.AddBackends(through()[0]) }

func through() []backend.Maker {
	all := makers()
	for i := range all {
		all[i].SameOnSoftware = false
	}
	return all
}
