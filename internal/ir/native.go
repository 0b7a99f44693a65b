package ir

import "fmt"

// NativeArg describes an argument that a native body expects.
type NativeArg struct {
	Writable bool   // the kernel may write the buffer
	Space    string // device or constant
	Size     int    // size of the buffer's object in bytes; 0 for a scalar of any type
}

// maxScalar is the size of the largest scalar type.
const maxScalar = 8

// Fits reports whether a kernel's buffer is what the native body expects.
func (n NativeArg) Fits(space string, writable bool, size int) bool {
	fits := size == n.Size || n.Size == 0 && size > 0 && size <= maxScalar
	return fits && space == n.Space && writable == n.Writable
}

// Describe describes the argument at an index, for messages.
func (n NativeArg) Describe(index int) string {
	buffer, what := "buffer", "of scalars"
	switch {
	case n.Size > 0:
		what = fmt.Sprintf("a struct of %d bytes", n.Size)
	case n.Writable:
		buffer = "writable buffer"
	default:
		buffer = "read-only buffer"
	}
	return fmt.Sprintf("a %s in %s memory with index %d, %s", buffer, n.Space, index, what)
}

// NativeArgs returns the buffers of a native body by index, or false if there is no body of that
// name. The bodies are in package exec/native.
func NativeArgs(name string) ([]NativeArg, bool) {
	in, out := NativeArg{Space: "device"}, NativeArg{Space: "device", Writable: true}
	switch name {
	case "matmul": // of package tensorop
		return []NativeArg{out, in, in, {Space: "constant", Size: 288}}, true
	case "convolution_1", "convolution_2", "convolution_4", "convolution_8", // of package tensorop, by the tile
		"convolution_input_gradient_1", "convolution_input_gradient_2", "convolution_input_gradient_4",
		"convolution_input_gradient_8",
		"convolution_weights_gradient_1", "convolution_weights_gradient_2", "convolution_weights_gradient_4",
		"convolution_weights_gradient_8":
		return []NativeArg{out, in, in, {Space: "constant", Size: 192}}, true
	case "packed_product": // of package tensorop
		return []NativeArg{out, in, in, in, in, {Space: "constant", Size: 60}}, true
	case "ternary_product": // of package tensorop
		return []NativeArg{out, in, in, in, {Space: "constant", Size: 64}}, true
	}
	return nil, false
}

// checkNative returns an error if the function does not have its native body's arguments.
func (f *Func) checkNative() error {
	want, ok := NativeArgs(f.Attributes.Native)
	if !ok {
		return fmt.Errorf("there is no native body %q", f.Attributes.Native)
	}
	if len(f.Args) != len(want) || len(f.Constants) > 0 {
		return fmt.Errorf("native body %q: %d arguments and %d function constants, want %d and none", f.Attributes.Native,
			len(f.Args), len(f.Constants), len(want))
	}
	for i := range f.Args {
		a := &f.Args[i]
		if a.Kind != ArgBuffer || a.Index != i || !want[i].Fits(a.Space, a.Access != "read", a.Size) {
			return fmt.Errorf("native body %q: argument %d is not %s", f.Attributes.Native, i, want[i].Describe(i))
		}
	}
	return nil
}
