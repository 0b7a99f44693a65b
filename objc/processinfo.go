package objc

import (
	"fmt"
	"time"
)

// ThermalState is the machine's thermal state, an NSProcessInfoThermalState.
type ThermalState int

// The thermal states.
const (
	ThermalNominal ThermalState = iota
	ThermalFair
	ThermalSerious
	ThermalCritical
)

// String returns "nominal", "fair", "serious" or "critical".
func (t ThermalState) String() string {
	switch t {
	case ThermalNominal:
		return "nominal"
	case ThermalFair:
		return "fair"
	case ThermalSerious:
		return "serious"
	case ThermalCritical:
		return "critical"
	}
	return fmt.Sprintf("ThermalState(%d)", int(t))
}

// ProcessInfo is a snapshot of the machine's state, as NSProcessInfo reports it.
type ProcessInfo struct {
	PhysicalMemory      uint64 // bytes
	Major, Minor, Patch int    // version of the operating system
	VersionString       string // the same in readable form, with the build
	Processors          int
	ActiveProcessors    int
	Thermal             ThermalState
	LowPower            bool          // Low Power Mode is on
	Uptime              time.Duration // since boot, not counting sleep
}

// ReadProcessInfo returns what NSProcessInfo reports. With the software driver, memory and
// processors are the host's, and the version is the macOS version that it emulates.
func ReadProcessInfo() (ProcessInfo, error) {
	class, err := classProcessInfo.Get()
	if err != nil {
		return ProcessInfo{}, err
	}
	p := pushPool()
	defer p.drain()
	id := ID(fn(fnProcessInfo).Call(class))
	if id == 0 {
		return ProcessInfo{}, fmt.Errorf("objc: %s: %w", fn(fnProcessInfo).Name(), ErrNil)
	}
	var version [3]uintptr
	fn(fnProcessVersion).CallRet(version[:], id)
	return ProcessInfo{
		PhysicalMemory: uint64(fn(fnProcessMemory).Call(id)),
		Major:          int(version[0]), Minor: int(version[1]), Patch: int(version[2]),
		VersionString:    fn(fnProcessVersionS).CallString(id),
		Processors:       int(fn(fnProcessCores).Call(id)),
		ActiveProcessors: int(fn(fnProcessActive).Call(id)),
		Thermal:          ThermalState(int(fn(fnProcessThermal).Call(id))),
		LowPower:         fn(fnProcessLowPower).Call(id) != 0,
		Uptime:           time.Duration(ToF64(fn(fnProcessUptime).Call(id)) * float64(time.Second)),
	}, nil
}

// runningVersion returns the macOS version that Apple's driver runs on, or 0 with the software
// driver.
func runningVersion() Version {
	d := driverInUse.Load()
	if d == nil || d.apple == nil {
		return 0
	}
	info, err := ReadProcessInfo()
	if err != nil {
		return 0
	}
	return trueVersion(info.Major, info.Minor)
}

// trueVersion corrects the version of macOS 26, which reports 16 (the number after 15) to programs
// built with an older SDK, as Go programs are.
func trueVersion(major, minor int) Version {
	if major >= 16 && major < 26 {
		major += 10
	}
	return MakeVersion(major, minor)
}

// OSVersion returns the macOS version that Apple's driver runs on, or 0 with the software driver.
// It is the true version: macOS 26 reports 16 to programs built with an older SDK, as Go programs
// are, and in [ProcessInfo]; OSVersion returns 26.
func OSVersion() (Version, error) {
	if _, err := current(); err != nil {
		return 0, err
	}
	return runningVersion(), nil
}
