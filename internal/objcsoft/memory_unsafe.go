package objcsoft

import (
	"fmt"
	"runtime/debug"
	"unsafe"
)

// maxCString bounds the search for the end of a C string.
const maxCString = 1 << 30

// guarded runs f, which accesses memory at an address from a message, and turns a fault into
// ErrAddress.
func guarded(addr uintptr, f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w %#x: %v", ErrAddress, addr, r)
		}
	}()
	f()
	return nil
}

// at views foreign memory as a slice. Pointer checks are off for it: the address may be anything,
// and guarded handles faults.
//
//go:nocheckptr
func at[T any](addr uintptr, n int) []T {
	// Through a variable, because to the compiler the address is not a Go pointer.
	return unsafe.Slice((*T)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}

func checkRange(addr uintptr, n, size uint64) error {
	if n > 1<<46/size {
		return fmt.Errorf("%w %#x: %d elements of %d bytes, limit 64 TiB", ErrAddress, addr, n, size)
	}
	return nil
}

// probe touches every page of a range.
func probe(addr, size uintptr) {
	const page = 4096 // the smallest page size
	for p := addr; p-addr < size; p += page {
		touch(p)
	}
	touch(addr + size - 1)
}

// readSlice copies n values from an address.
//
//go:nocheckptr
func readSlice[T any](addr uintptr, n uint64) ([]T, error) {
	if n == 0 {
		return nil, nil
	}
	var zero T
	if err := checkRange(addr, n, uint64(unsafe.Sizeof(zero))); err != nil {
		return nil, err
	}
	var out []T
	err := guarded(addr, func() {
		// A wrong length should hit unmapped memory before the copy is allocated: otherwise the
		// heap might grow into the range after addr, and the read would not fault.
		probe(addr, uintptr(n)*unsafe.Sizeof(zero))
		out = make([]T, n)
		copy(out, at[T](addr, int(n)))
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// writeSlice copies values to an address.
//
//go:nocheckptr
func writeSlice[T any](addr uintptr, values []T) error {
	if len(values) == 0 {
		return nil
	}
	return guarded(addr, func() { copy(at[T](addr, len(values)), values) })
}

// ReadMemory copies n bytes from an address in a message.
func ReadMemory(addr uintptr, n uint64) ([]byte, error) { return readSlice[byte](addr, n) }

// ReadInto fills b with the bytes from an address in a message.
//
//go:nocheckptr
func ReadInto(addr uintptr, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return guarded(addr, func() { copy(b, at[byte](addr, len(b))) })
}

// WriteMemory copies bytes to an address in a message.
func WriteMemory(addr uintptr, b []byte) error { return writeSlice(addr, b) }

// ReadWords copies n words from an address in a message, such as a C array of
// objects or a structure.
func ReadWords(addr uintptr, n uint64) ([]uintptr, error) { return readSlice[uintptr](addr, n) }

// WriteWords copies words to an address in a message, such as an out-parameter.
func WriteWords(addr uintptr, words ...uintptr) error { return writeSlice(addr, words) }

// ReadCString copies the bytes before the NUL at an address.
//
//go:nocheckptr
func ReadCString(addr uintptr) (string, error) {
	if addr == 0 {
		return "", fmt.Errorf("%w: nil C string", ErrAddress)
	}
	var out []byte
	end := false
	err := guarded(addr, func() {
		for len(out) < maxCString {
			b := at[byte](addr+uintptr(len(out)), 1)[0]
			if b == 0 {
				end = true
				return
			}
			out = append(out, b)
		}
	})
	if err == nil && !end {
		err = fmt.Errorf("%w %#x: no NUL within %d bytes", ErrAddress, addr, maxCString)
	}
	if err != nil {
		return "", err
	}
	return string(out), nil
}
