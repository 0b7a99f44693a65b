//go:build !unix

package machine

import (
	"io"
	"os"
)

// MapFile reads n bytes of a file into memory whose capacity is whole pages.
func MapFile(f *os.File, n int) ([]byte, error) {
	page := os.Getpagesize()
	b, err := Map((n + page - 1) / page * page)
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, int64(n)), b[:n]); err != nil {
		_ = Unmap(b) // the memory was just made
		return nil, err
	}
	return b[:n], nil
}

// UnmapFile gives back what MapFile returned. It does nothing for nil.
func UnmapFile(b []byte) error {
	if b == nil {
		return nil
	}
	return Unmap(b[:cap(b)])
}
