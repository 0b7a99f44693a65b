package main

import (
	"context"
	"unsafe"

	"github.com/puremetal/puremetal/compute"
)

// texels returns a texture without the type of its texels.
func texels[T any](of *compute.Texture[T], err error) (texture, error) {
	if err != nil {
		return texture{}, err
	}
	return texture{argument: of, close: of.Close,
		upload: func(ctx context.Context, data []byte) error {
			all := make([]T, of.Len())
			copy(bytesOf(all), data)
			return of.Upload(ctx, all)
		},
		download: func(ctx context.Context, data []byte) error {
			all := make([]T, of.Len())
			err := of.Download(ctx, all)
			copy(data, bytesOf(all))
			return err
		}}, nil
}

// bytesOf returns the memory of a slice.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
