package value

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // for image.Decode
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/npy"
)

// readFile reads @file or TYPE@file.
func readFile(typeName, name, dir string) (*Value, error) {
	if name == "" {
		return nil, bad("@ without a file name")
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	ext := strings.ToLower(filepath.Ext(name))
	if ext == ".raw" {
		return readRaw(typeName, name)
	}
	var as *Type
	if typeName != "" {
		t, err := ParseType(typeName)
		if err != nil {
			return nil, err
		}
		as = &t
	}
	switch ext {
	case ".npy":
		a, err := readArray(name)
		if err != nil {
			return nil, fileError(err)
		}
		v, err := ofArray(a, as)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return v, nil
	case ".png", ".jpg", ".jpeg":
		v, err := readImage(name, as)
		return v, fileError(err)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return readDirectory(name, as)
	}
	return nil, bad("%q: argument files must end in .npy, .png, .jpg, .jpeg or .raw, or be a directory of images",
		clip(name))
}

// readArray reads an .npy file.
func readArray(name string) (*npy.Array, error) {
	f, err := document.Operand.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := npy.Read(document.Operand.Limit(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// fileError returns errors of the file system unchanged and marks all others as ErrValue.
func fileError(err error) error {
	var path *fs.PathError
	if err == nil || errors.Is(err, ErrValue) || errors.As(err, &path) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrValue, err)
}

// ofArray returns an array as a value, converted to type as. If as is nil it keeps the array's own
// type, except that float64 becomes float.
func ofArray(a *npy.Array, as *Type) (*Value, error) {
	s, ok := scalarOf(a.Type)
	t := Type{Scalar: s, Lanes: 1}
	if as != nil {
		t = *as
	}
	v := &Value{Type: t, Shape: a.Shape, source: fromData}
	if a.Len() == 0 {
		return nil, bad("the array has shape %v and no elements", a.Shape)
	}
	if t.Lanes > 1 {
		n := len(a.Shape)
		if n == 0 || a.Shape[n-1] != t.Lanes {
			return nil, bad("the array has shape %v; to become %v its last dimension must be %d", a.Shape, t, t.Lanes)
		}
		v.Shape = a.Shape[:n-1]
	}
	if len(v.Shape) > maxDims {
		return nil, bad("%d dimensions; at most %d are allowed", len(v.Shape), maxDims)
	}
	if len(v.Shape) == 0 {
		v.Shape = nil
	}
	if err := v.fits(); err != nil {
		return nil, err
	}
	if ok && s == t.Scalar {
		v.data = a.Data
		if s == Bool { // normalize bytes other than 0 and 1
			for i, b := range v.data {
				v.data[i] = min(b, 1)
			}
		}
		return v, nil
	}
	if err := v.convert(a); err != nil {
		return nil, err
	}
	return v, nil
}

// scalarOf returns the scalar type of an array's elements. float64 has none.
func scalarOf(t npy.Type) (Scalar, bool) {
	switch t {
	case npy.Bool:
		return Bool, true
	case npy.Int8:
		return Char, true
	case npy.Uint8:
		return UChar, true
	case npy.Int16:
		return Short, true
	case npy.Uint16:
		return UShort, true
	case npy.Int32:
		return Int, true
	case npy.Uint32:
		return UInt, true
	case npy.Int64:
		return Long, true
	case npy.Uint64:
		return ULong, true
	case npy.Float16:
		return Half, true
	case npy.Float32:
		return Float, true
	}
	return Float, false
}

// readImage reads an image as type as, by default uchar4. Floating-point channels range from 0 to
// 1; a scalar type gives the luminance.
func readImage(name string, as *Type) (*Value, error) {
	data, err := document.Image.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if errors.Is(err, image.ErrFormat) {
		return nil, bad("%s is neither a PNG nor a JPEG image", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := document.Image.Picture(data, c.Width, c.Height); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := Type{Scalar: UChar, Lanes: 4}
	if as != nil {
		t = *as
	}
	if t.Scalar != UChar && !t.Scalar.Floating() {
		return nil, bad("%s: images cannot be read as %v; use uchar, half, bfloat, float, or a vector of them", name, t)
	}
	v := &Value{Type: t, Shape: []int{m.Bounds().Dy(), m.Bounds().Dx()}, Image: true, source: fromData}
	v.data = pixels(m, t)
	return v, nil
}

// pixels returns the pixels of an image, row by row, with non-premultiplied alpha.
func pixels(m image.Image, t Type) []byte {
	b := m.Bounds()
	out := make([]byte, 0, b.Dx()*b.Dy()*t.Lanes*t.Scalar.Size())
	number := func(n uint32) { // of 16 bits
		if t.Scalar == UChar {
			out = append(out, byte(n>>8))
			return
		}
		bits, _ := narrow(t.Scalar, float64(n)/0xffff)
		out = appendBits(out, t.Scalar.Size(), bits)
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if t.Lanes == 1 {
				number(uint32(color.Gray16Model.Convert(m.At(x, y)).(color.Gray16).Y))
				continue
			}
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			all := [4]uint16{c.R, c.G, c.B, c.A}
			for _, n := range all[:t.Lanes] {
				number(uint32(n))
			}
		}
	}
	return out
}

// readRaw reads a file as the bytes of the argument in memory. The type is TYPE[N,...] for a file
// of exactly that size, TYPE for as many elements as the file has, and uchar if there is none.
func readRaw(declaration, name string) (*Value, error) {
	v := &Value{Type: Type{Scalar: UChar, Lanes: 1}}
	if declaration != "" {
		var err error
		if v, err = declared(declaration); err != nil {
			return nil, err
		}
	}
	f, err := document.Operand.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := int64(v.Size())
	switch {
	case v.Shape != nil && info.Size() != size:
		return nil, bad("%s has %d bytes, but %s has %d", name, info.Size(), v.Describe(), size)
	case info.Size() == 0 || info.Size()%size != 0:
		return nil, bad("%s has %d bytes, which is not a multiple of the %d bytes of a %v", name, info.Size(), size, v.Type)
	case v.Shape == nil:
		v.Shape = []int{int(info.Size() / size)}
	}
	v.data = make([]byte, v.Size())
	switch n, err := io.ReadFull(f, v.data); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, bad("%s changed while it was read: it had %d bytes, and now %d", name, info.Size(), n)
	case err != nil:
		return nil, err
	}
	v.source = fromMemory
	return v, nil
}
