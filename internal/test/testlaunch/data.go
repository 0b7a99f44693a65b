package testlaunch

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
)

// Compile returns the kernels of a text in MSL, which follows the standard library.
func Compile(tb testing.TB, text string) []*ir.Func {
	tb.Helper()
	m, diags := msl.Compile(context.Background(),
		msl.Source{Name: "test.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}, msl.Options{})
	if len(diags) > 0 {
		tb.Fatal(diags)
	}
	return m.IR.Funcs
}

// Words returns the bytes of numbers.
func Words(x ...uint32) []byte {
	var b []byte
	for _, w := range x {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// Noise returns n random bytes, the same each time.
func Noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(12345)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}
