package packed

import "unsafe"

// floatsOf returns memory as n floats of the host's byte order.
func floatsOf(b []byte, n int) []float32 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), n)
}

func floatAt(b []byte) *float32 { return (*float32)(unsafe.Pointer(&b[0])) }

func floatsFrom(p *float32, n int) []float32 { return unsafe.Slice(p, n) }

func bytesFrom(p *byte, n int) []byte { return unsafe.Slice(p, n) }

func int32sFrom(p *int32, n int) []int32 { return unsafe.Slice(p, n) }

// byteOf returns the first of codes.
func byteOf(c *int8) *byte { return (*byte)(unsafe.Pointer(c)) }

// isAligned reports whether memory can be taken as floats.
func isAligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%4 == 0 }
