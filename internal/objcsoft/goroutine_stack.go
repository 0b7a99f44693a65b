package objcsoft

import "runtime"

// goroutineFromStack reads the goroutine's number from "goroutine 12 [running]".
func goroutineFromStack() uintptr {
	var buf [40]byte
	line := buf[:runtime.Stack(buf[:], false)]
	var n uintptr
	for _, c := range line[min(len("goroutine "), len(line)):] {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uintptr(c-'0')
	}
	return n
}
