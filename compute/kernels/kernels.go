// Package kernels contains the Metal source of the kernels that package compute/ops launches.
// Compile a file together with its includes:
//
//	source, err := kernels.Files.ReadFile("matrix.metal")
//	program, err := acc.Compile(ctx, string(source), compute.CompileOptions{Name: "matrix.metal", Includes: kernels.Files})
//
// The name of a kernel ends with its element type: f32, f16, bf16 or i8.
package kernels

import "embed"

// Files contains the sources.
//
//go:embed *.metal *.h
var Files embed.FS
