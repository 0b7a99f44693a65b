package main

import (
	"context"
	"unsafe"

	"github.com/puremetal/puremetal/compute"
)

// texels is a texture whose texels have type T, without that type in its methods. It does not embed
// the texture: with 24 types of texels, the compiler would write all its methods 24 times more.
type texels[T any] struct{ of *compute.Texture[T] }

// argument returns the texture as a launch takes it.
func (t texels[T]) argument() compute.AnyTexture { return t.of }

func (t texels[T]) close() { t.of.Close() }

// upload copies bytes to the texture.
func (t texels[T]) upload(ctx context.Context, data []byte) error {
	all := make([]T, t.of.Len())
	copy(bytesOf(all), data)
	return t.of.Upload(ctx, all)
}

// download copies the texture to bytes.
func (t texels[T]) download(ctx context.Context, data []byte) error {
	all := make([]T, t.of.Len())
	err := t.of.Download(ctx, all)
	copy(data, bytesOf(all))
	return err
}

// bytesOf returns the memory of a slice.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
