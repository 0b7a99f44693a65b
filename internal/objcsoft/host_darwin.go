package objcsoft

import (
	"encoding/binary"
	"syscall"
	"time"
)

// sysctlInt reads an integer. The system call's wrapper treats the value as a C string and drops a
// trailing zero byte.
func sysctlInt(name string) (uint64, error) {
	s, err := syscall.Sysctl(name)
	if err != nil {
		return 0, err
	}
	var b [8]byte
	copy(b[:], s)
	return binary.LittleEndian.Uint64(b[:]), nil
}

func physicalMemory() (uint64, error) { return sysctlInt("hw.memsize") }

func systemUptime() (float64, error) {
	boot, err := sysctlInt("kern.boottime") // starts with the seconds
	if err != nil {
		return 0, err
	}
	return time.Since(time.Unix(int64(boot), 0)).Seconds(), nil
}
