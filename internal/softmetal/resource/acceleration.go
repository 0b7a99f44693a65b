package resource

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// There is no ray tracing: supportsRaytracing returns NO, and calls that need it are rejected.

func noRays(c *objcsoft.Call) {
	adapter.Misuse(c, "the device traces no rays, which supportsRaytracing says")
}

func accelerationClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"accelerationStructureSizesWithDescriptor:":            noRays,
			"heapAccelerationStructureSizeAndAlignWithDescriptor:": noRays,
			"heapAccelerationStructureSizeAndAlignWithSize:":       noRays,
			"newAccelerationStructureWithDescriptor:":              noRays,
			"newAccelerationStructureWithSize:":                    noRays,
		}},
		{Name: "PMSoftHeap", Methods: adapter.Methods{
			"newAccelerationStructureWithDescriptor:":        noRays,
			"newAccelerationStructureWithDescriptor:offset:": noRays,
			"newAccelerationStructureWithSize:":              noRays,
			"newAccelerationStructureWithSize:offset:":       noRays,
		}},
	}
}
