// Package kernels has the Metal source of the kernels that package compute/ops launches. Compile a
// file with its includes:
//
//	source, err := kernels.Files.ReadFile("matrix.metal")
//	program, err := acc.Compile(ctx, string(source), compute.CompileOptions{Name: "matrix.metal", Includes: kernels.Files})
//
// A kernel's name ends in the type of its elements: f32, f16, bf16, i8.
package kernels

import "embed"

// Files are the sources.
//
//go:embed *.metal *.h
var Files embed.FS
