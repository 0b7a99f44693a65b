package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// align is the alignment of the data in the file.
const align = 64

// WriteFile writes an array to a file, which it creates or overwrites.
func WriteFile(name string, a *Array) error {
	if err := a.check(); err != nil {
		return fmt.Errorf("%s: npy: %w", name, err)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(Write(f, a), f.Close())
}

// Write writes an array as numpy.save does. If the length of the data does not match the type and
// shape, it returns an error wrapping [ErrShape].
func Write(w io.Writer, a *Array) error {
	if err := a.check(); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	if _, err := w.Write(headerOf(a)); err != nil {
		return err
	}
	_, err := w.Write(a.Data)
	return err
}

// WriteHeader writes what [Write] writes before the elements, for arrays that are not in memory as
// a whole: the elements follow, in row-major order and with the lowest byte first.
func WriteHeader(w io.Writer, t Type, shape ...int) error {
	a := &Array{Type: t, Shape: shape}
	if _, err := sizeOf(t, shape); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	_, err := w.Write(headerOf(a))
	return err
}

// check returns an error if the length of the data does not match the type and shape.
func (a *Array) check() error {
	size, err := sizeOf(a.Type, a.Shape)
	if err == nil && size != len(a.Data) {
		err = fmt.Errorf("%w: %v of %s needs %d bytes, the array has %d", ErrShape, a.Shape, a.Type, size, len(a.Data))
	}
	return err
}

// headerOf returns everything before the data.
func headerOf(a *Array) []byte {
	order := "<"
	if a.Type.Size() == 1 {
		order = "|"
	}
	dims := make([]string, len(a.Shape))
	for i, d := range a.Shape {
		dims[i] = strconv.Itoa(d)
	}
	shape := strings.Join(dims, ", ")
	if len(dims) == 1 {
		shape += ","
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, a.Type, shape)
	const before = len(magic) + 4
	text += strings.Repeat(" ", (align-(before+len(text)+1)%align)%align) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}
