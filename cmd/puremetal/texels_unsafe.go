package main

import (
	"context"
	"unsafe"

	"github.com/puremetal/puremetal/compute"
)

// texels is a texture whose texels have type T, without that type in its methods.
type texels[T any] struct{ *compute.Texture[T] }

// upload copies bytes to the texture.
func (t texels[T]) upload(ctx context.Context, data []byte) error {
	all := make([]T, t.Len())
	copy(bytesOf(all), data)
	return t.Upload(ctx, all)
}

// download copies the texture to bytes.
func (t texels[T]) download(ctx context.Context, data []byte) error {
	all := make([]T, t.Len())
	err := t.Download(ctx, all)
	copy(data, bytesOf(all))
	return err
}

// bytesOf returns the memory of a slice.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
