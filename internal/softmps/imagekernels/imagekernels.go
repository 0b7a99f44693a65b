// Package imagekernels holds the kernels of the image filters, in the Metal Shading Language. Each
// file is a library of its own, so that a program compiles only what it uses.
package imagekernels

import "embed"

//go:embed *.metal
var files embed.FS

// Source returns the text of a library: convolve, point, window, reduce, histogram, scale, cnn or
// tensor.
func Source(library string) (string, error) {
	common, err := files.ReadFile("common.metal")
	if err != nil {
		return "", err
	}
	text, err := files.ReadFile(library + ".metal")
	return string(common) + string(text), err
}
