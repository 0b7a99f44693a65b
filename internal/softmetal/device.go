package softmetal

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/objcsoft"
)

// device is the state of an MTLDevice. It lives as long as its world.
type device struct {
	world *world
	id    objcsoft.ID
	index int // among the devices, which are peers where there are several
	peers int // how many devices there are
	name  string

	// space holds the memory that kernels reach: buffers, heaps, textures' texels.
	space *vm.Space

	pipelines pipelineTable // those that live
}

func newDevice(w *world, index, peers int) *device {
	d := &device{world: w, index: index, peers: peers, name: "PureMetal Software GPU", space: new(vm.Space)}
	if peers > 1 {
		d.name = fmt.Sprintf("%s %d", d.name, index)
	}
	return d
}

func deviceClasses() []class {
	return []class{{
		name:      "PMSoftDevice",
		protocols: []string{"MTLDevice"},
		methods: methods{
			"name": on((*device).getName),
		},
	}}
}

func (d *device) getName(c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(d.name)) }
