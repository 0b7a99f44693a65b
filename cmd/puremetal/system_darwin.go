package main

import (
	"runtime"
	"syscall"
)

// system describes the machine. It asks the kernel, which answers whichever driver is used.
func system() map[string]string {
	out := map[string]string{"os": runtime.GOOS, "architecture": runtime.GOARCH}
	for name, key := range map[string]string{"macOS": "kern.osproductversion", "build": "kern.osversion",
		"model": "hw.model", "processor": "machdep.cpu.brand_string"} {
		if v, err := syscall.Sysctl(key); err != nil {
			out[name] = key + ": " + err.Error()
		} else {
			out[name] = v
		}
	}
	return out
}
