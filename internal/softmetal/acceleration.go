package softmetal

import "github.com/puremetal/puremetal/internal/objcsoft"

// Rays are not traced: supportsRaytracing says so, and what needs them is refused.

func noRays(c *objcsoft.Call) {
	misuse(c, "the device traces no rays, which supportsRaytracing says")
}

func accelerationClasses() []class {
	return []class{
		{name: "PMSoftDevice", methods: methods{
			"accelerationStructureSizesWithDescriptor:":            noRays,
			"heapAccelerationStructureSizeAndAlignWithDescriptor:": noRays,
			"heapAccelerationStructureSizeAndAlignWithSize:":       noRays,
			"newAccelerationStructureWithDescriptor:":              noRays,
			"newAccelerationStructureWithSize:":                    noRays,
		}},
		{name: "PMSoftHeap", methods: methods{
			"newAccelerationStructureWithDescriptor:":        noRays,
			"newAccelerationStructureWithDescriptor:offset:": noRays,
			"newAccelerationStructureWithSize:":              noRays,
			"newAccelerationStructureWithSize:offset:":       noRays,
		}},
	}
}
