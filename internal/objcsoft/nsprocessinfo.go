package objcsoft

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// OSVersion is a version of macOS.
type OSVersion struct{ Major, Minor, Patch int }

// emulatedVersion is the macOS whose API this runtime follows, on every machine:
// programs ask for the version to learn what they may call.
var emulatedVersion = OSVersion{26, 0, 0}

// hostInfo holds the data that NSProcessInfo and NSBundle return.
type hostInfo struct {
	mu       sync.Mutex
	version  OSVersion
	thermal  int64
	lowPower bool

	processInfo, mainBundle ID
}

// SetOSVersion sets the version of macOS that NSProcessInfo reports.
func (rt *Runtime) SetOSVersion(v OSVersion) {
	h := &rt.foundation.host
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version = v
}

// SetPowerState sets the thermal state (0 nominal to 3 critical) and the low power mode that
// NSProcessInfo reports. Both are initially zero: only Macs report them.
func (rt *Runtime) SetPowerState(thermal int64, lowPower bool) {
	h := &rt.foundation.host
	h.mu.Lock()
	defer h.mu.Unlock()
	h.thermal, h.lowPower = thermal, lowPower
}

func (c *Call) osVersion() OSVersion {
	h := &c.RT.foundation.host
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.version
}

func nsProcessInfo() ClassSpec {
	answer := func(yes bool) Imp { return func(c *Call) { c.ReturnBool(yes) } }
	return ClassSpec{
		Name:      "NSProcessInfo",
		Framework: foundationName,
		Methods: []MethodSpec{
			{"operatingSystemVersion", "{?=qqq}@:", func(c *Call) {
				v := c.osVersion()
				c.ReturnWords(uintptr(v.Major), uintptr(v.Minor), uintptr(v.Patch))
			}},
			{"operatingSystemVersionString", "@@:", func(c *Call) {
				v := c.osVersion()
				c.returnString(fmt.Sprintf("Version %d.%d.%d (software, %s/%s)", v.Major, v.Minor, v.Patch, runtime.GOOS,
					runtime.GOARCH))
			}},
			{"isOperatingSystemAtLeastVersion:", "B@:{?=qqq}", func(c *Call) {
				v, w := c.osVersion(), c.Words(0)
				have := [3]int64{int64(v.Major), int64(v.Minor), int64(v.Patch)}
				for i, want := range w {
					if d := have[i] - int64(want); d != 0 {
						c.ReturnBool(d > 0)
						return
					}
				}
				c.ReturnBool(true)
			}},
			{"physicalMemory", "Q@:", func(c *Call) {
				n, err := physicalMemory()
				if err != nil {
					c.Fail(fmt.Errorf("physical memory: %w", err))
				}
				c.ReturnUint(n)
			}},
			{"systemUptime", "d@:", func(c *Call) {
				s, err := systemUptime()
				if err != nil {
					c.Fail(fmt.Errorf("uptime: %w", err))
				}
				c.ReturnF64(s)
			}},
			{"processorCount", "Q@:", func(c *Call) { c.ReturnUint(uint64(runtime.NumCPU())) }},
			{"activeProcessorCount", "Q@:", func(c *Call) { c.ReturnUint(uint64(runtime.NumCPU())) }},
			{"thermalState", "q@:", func(c *Call) {
				h := &c.RT.foundation.host
				h.mu.Lock()
				defer h.mu.Unlock()
				c.ReturnInt(h.thermal)
			}},
			{"isLowPowerModeEnabled", "B@:", func(c *Call) {
				h := &c.RT.foundation.host
				h.mu.Lock()
				defer h.mu.Unlock()
				c.ReturnBool(h.lowPower)
			}},
			{"processIdentifier", "i@:", func(c *Call) { c.ReturnInt(int64(os.Getpid())) }},
			{"processName", "@@:", func(c *Call) { c.returnString(filepath.Base(executable())) }},
			{"hostName", "@@:", func(c *Call) {
				name, err := os.Hostname()
				if err != nil {
					name = "localhost"
				}
				c.returnString(name)
			}},
			{"arguments", "@@:", func(c *Call) { c.returnStrings(os.Args) }},
			{"environment", "@@:", func(c *Call) {
				env := map[string]string{}
				for _, e := range os.Environ() {
					if k, v, ok := strings.Cut(e, "="); ok {
						env[k] = v
					}
				}
				id, err := c.RT.NewStringMap(env)
				if err != nil {
					c.Fail(err)
					return
				}
				c.ReturnAutoreleased(id)
			}},
			{"globallyUniqueString", "@@:", func(c *Call) { c.returnString(rand.Text()) }},
			{"isMacCatalystApp", "B@:", answer(false)},
			{"isiOSAppOnMac", "B@:", answer(false)},
			{"isiOSAppOnVision", "B@:", answer(false)},
		},
		ClassMethods: []MethodSpec{
			{"processInfo", "@@:", func(c *Call) { c.ReturnID(c.RT.foundation.host.processInfo) }},
		},
	}
}

// executable is the program's path, or its first argument if the system does not report the path.
func executable() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	if len(os.Args) > 0 {
		return os.Args[0]
	}
	return ""
}

func nsBundle() ClassSpec {
	return ClassSpec{
		Name:      "NSBundle",
		Framework: foundationName,
		Methods: []MethodSpec{
			{"bundlePath", "@@:", func(c *Call) { c.returnString(filepath.Dir(executable())) }},
			{"resourcePath", "@@:", func(c *Call) { c.returnString(filepath.Dir(executable())) }},
			{"executablePath", "@@:", func(c *Call) { c.returnString(executable()) }},
			{"bundleURL", "@@:", func(c *Call) { c.returnURL(fileURL(filepath.Dir(executable()), true)) }},
			{"resourceURL", "@@:", func(c *Call) { c.returnURL(fileURL(filepath.Dir(executable()), true)) }},
			{"executableURL", "@@:", func(c *Call) { c.returnURL(fileURL(executable(), false)) }},
			{"bundleIdentifier", "@@:", func(c *Call) { c.ReturnID(0) }}, // a command has none
			{"infoDictionary", "@@:", func(c *Call) { c.returnDictionary(nil, nil) }},
			{"isLoaded", "B@:", func(c *Call) { c.ReturnBool(true) }},
		},
		ClassMethods: []MethodSpec{
			{"mainBundle", "@@:", func(c *Call) { c.ReturnID(c.RT.foundation.host.mainBundle) }},
		},
	}
}
