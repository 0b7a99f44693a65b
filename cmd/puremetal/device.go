package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/compute"
)

// deviceOption returns the options that open a device, given by index or name.
func deviceOption(device string) ([]compute.Option, error) {
	if device == "" {
		return nil, nil
	}
	all, err := compute.Devices()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = fmt.Sprintf("%d (%s)", d.Index, d.Name)
		if d.Name == device {
			return []compute.Option{compute.WithDeviceIndex(d.Index)}, nil
		}
	}
	if n, err := strconv.Atoi(device); err == nil && n >= 0 && n < len(all) {
		return []compute.Option{compute.WithDeviceIndex(n)}, nil
	}
	return nil, usage("--device %q: no such device; the devices are %s", device, strings.Join(names, ", "))
}
