package computetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
)

// imageOf returns the image of an argument for a parameter that is a texture. The argument is the
// image itself or the texture.
func imageOf(param reflect.Type, arg any) (m *kernel.Image, texture bool) {
	if param.Kind() != reflect.Struct || param.PkgPath() != reflect.TypeFor[kernel.Image]().PkgPath() {
		return nil, false
	}
	f, ok := param.FieldByName("Image")
	if !ok || f.Type != reflect.TypeFor[*kernel.Image]() {
		return nil, false
	}
	if v := reflect.ValueOf(arg); v.IsValid() && v.Type() == param {
		arg = v.FieldByIndex(f.Index).Interface()
	}
	m, _ = arg.(*kernel.Image)
	return m, true
}

// takeImage copies the image of parameter i, a texture.
func (f *function) takeImage(i int, param reflect.Type) error {
	m := f.images[i]
	if m == nil {
		return fmt.Errorf("no image; want a *kernel.Image for a %v", param)
	}
	own, first := m, slices.Index(f.images, m)
	f.same = append(f.same, first)
	if first < i {
		own = f.cpuImage(first)
		f.memory = append(f.memory, f.memory[first])
	} else {
		var err error
		if own, err = kernel.NewImage(bytes.Clone(m.Bytes()), m.Width(), m.Height(), m.Format()); err != nil {
			return err
		}
		f.memory = append(f.memory, bytes.Clone(m.Bytes()))
	}
	v := reflect.New(param).Elem()
	v.FieldByName("Image").Set(reflect.ValueOf(own))
	f.params, f.device = append(f.params, v), append(f.device, nil)
	return nil
}

// cpuImage returns the image of the CPU for a parameter that is a texture.
func (f *function) cpuImage(i int) *kernel.Image {
	return f.params[i].FieldByName("Image").Interface().(*kernel.Image)
}

// texelDifference describes the first texel that differs in a texture, "" if none does.
func (f *function) texelDifference(i int) string {
	cpu := f.cpuImage(i)
	if bytes.Equal(cpu.Bytes(), f.memory[i]) {
		return ""
	}
	device, err := kernel.NewImage(f.memory[i], cpu.Width(), cpu.Height(), cpu.Format())
	if err != nil {
		return err.Error() // the image of the CPU has the same size and format
	}
	first, n, all := "", 0, cpu.Width()*cpu.Height()
	size := len(cpu.Bytes()) / all
	for k := range all {
		c, d := cpu.Bytes()[k*size:][:size], device.Bytes()[k*size:][:size]
		if bytes.Equal(c, d) {
			continue
		}
		x, y := k%cpu.Width(), k/cpu.Width()
		name := fmt.Sprintf("%s(%d, %d)", f.names[i], x, y)
		text := compareValues(name, texelAt(device, x, y), texelAt(cpu, x, y))
		if v, ok := texelAt(cpu, x, y).Interface().(simd.Float4); text == "" && (!ok || v == v) { // no NaN
			text = fmt.Sprintf("%s is % x on the device, % x on the CPU", name, d, c)
		}
		if text != "" {
			if n++; n == 1 {
				first = text
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s; %d of %d texels differ", first, n, all)
}

// texelAt returns a texel as a kernel reads it.
func texelAt(m *kernel.Image, x, y int) reflect.Value {
	format := strings.ToLower(m.Format())
	switch {
	case strings.HasSuffix(format, "sint"):
		return reflect.ValueOf(kernel.Texture2D[simd.Int4]{Image: m}.Read(uint32(x), uint32(y)))
	case strings.HasSuffix(format, "uint"):
		return reflect.ValueOf(kernel.Texture2D[simd.UInt4]{Image: m}.Read(uint32(x), uint32(y)))
	}
	return reflect.ValueOf(kernel.Texture2D[simd.Float4]{Image: m}.Read(uint32(x), uint32(y)))
}

// texture is a texture of any type of texels.
type texture struct {
	compute.AnyTexture
	download func(ctx context.Context, data []byte) error
	close    func()
}

// makers make textures with all types of texels.
var makers = []func(context.Context, *compute.Accelerator, *kernel.Image, mtl.PixelFormat) (*texture, error){
	newTexture[uint8], newTexture[[2]uint8], newTexture[[4]uint8], newTexture[int8], newTexture[[2]int8],
	newTexture[[4]int8], newTexture[uint16], newTexture[[2]uint16], newTexture[[4]uint16], newTexture[int16],
	newTexture[[2]int16], newTexture[[4]int16], newTexture[uint32], newTexture[[2]uint32], newTexture[[4]uint32],
	newTexture[int32], newTexture[[2]int32], newTexture[[4]int32], newTexture[simd.Half], newTexture[[2]simd.Half],
	newTexture[[4]simd.Half], newTexture[float32], newTexture[[2]float32], newTexture[[4]float32],
}

// textureOf makes a texture with the texels and the format of an image.
func textureOf(ctx context.Context, acc *compute.Accelerator, m *kernel.Image) (*texture, error) {
	for f := mtl.PixelFormat(1); f < maxFormat; f++ {
		if !strings.EqualFold(f.String(), "PixelFormat"+m.Format()) {
			continue
		}
		var last error
		for _, make := range makers {
			t, err := make(ctx, acc, m, f)
			if wrongType := (*compute.LayoutError)(nil); !errors.As(err, &wrongType) {
				return t, err
			}
			last = err
		}
		return nil, last
	}
	return nil, fmt.Errorf("package mtl has no pixel format %s", m.Format())
}

// maxFormat is above all of Metal's pixel formats.
const maxFormat = 1024

func newTexture[T any](ctx context.Context, acc *compute.Accelerator, m *kernel.Image, format mtl.PixelFormat) (
	*texture, error) {
	t, err := compute.NewTexture[T](acc, compute.Texture2D(m.Width(), m.Height()),
		compute.TextureOptions{Format: format})
	if err != nil {
		return nil, err
	}
	texels := make([]T, t.Len())
	memory := bytesOf(reflect.ValueOf(texels))
	copy(memory, m.Bytes())
	if err := t.Upload(ctx, texels); err != nil {
		t.Close()
		return nil, err
	}
	download := func(ctx context.Context, data []byte) error {
		err := t.Download(ctx, texels)
		copy(data, memory)
		return err
	}
	return &texture{t, download, t.Close}, nil
}
