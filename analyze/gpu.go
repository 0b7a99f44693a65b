package analyze

import (
	"errors"
	"fmt"
)

// chipGPU describes the GPU of an Apple chip, as far as the system tells without a Metal device. On
// a Mac, findGPU asks the kernel for the name of the chip, and the IORegistry for the property
// gpu-core-count of the service AGXAccelerator; elsewhere nothing is known.
type chipGPU struct {
	Chip  string // such as "Apple M2 Pro"; "" if unknown
	Cores int    // 0 if unknown
}

// errUnknownGPU: the system does not tell.
var errUnknownGPU = errors.New("analyze: the system does not tell the GPU")

// Names in the IORegistry, as ioreg -rc AGXAccelerator shows them.
const (
	gpuService  = "AGXAccelerator"
	coresKey    = "gpu-core-count"
	maxGPUCores = 1024 // a greater number is a misread one
)

// registry has the calls of IOKit and CoreFoundation that read a number. Handles are 0 if there is
// nothing.
type registry struct {
	services func(class string) (iterator uint32, status int32)
	next     func(iterator uint32) (service uint32)
	free     func(object uint32)
	property func(service uint32, key string) (value uintptr)
	number   func(value uintptr) (n int64, ok bool) // ok is false if the value is no integer
	release  func(value uintptr)
}

// cores returns the number of cores that the first GPU with the property has.
func (r *registry) cores() (int, error) {
	iterator, status := r.services(gpuService)
	if status != 0 {
		return 0, fmt.Errorf("%w: IOServiceGetMatchingServices: status %#x", errUnknownGPU, uint32(status))
	}
	defer r.free(iterator)
	for service := r.next(iterator); service != 0; service = r.next(iterator) {
		value := r.property(service, coresKey)
		r.free(service)
		if value == 0 {
			continue
		}
		n, ok := r.number(value)
		r.release(value)
		switch {
		case !ok:
			return 0, fmt.Errorf("%w: %s is not an integer", errUnknownGPU, coresKey)
		case n < 1 || n > maxGPUCores:
			return 0, fmt.Errorf("%w: %s is %d, want 1 to %d", errUnknownGPU, coresKey, n, maxGPUCores)
		}
		return int(n), nil
	}
	return 0, fmt.Errorf("%w: no %s has %s", errUnknownGPU, gpuService, coresKey)
}
