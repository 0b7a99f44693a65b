//go:build !linux && !darwin && !windows

package objcsoft

import "errors"

var errNotMeasured = errors.New("not measured on this system")

func physicalMemory() (uint64, error) { return 0, errNotMeasured }

func systemUptime() (float64, error) { return 0, errNotMeasured }
