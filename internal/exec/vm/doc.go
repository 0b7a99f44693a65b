// Package vm is the exec.Backend that interprets kernels: a vector interpreter of the low-level
// representation (package lir), which executes each instruction for all lanes of a strip of up to
// 256 threads before the next one. It produces the same bits as the scalar oracle (package ref).
package vm

//go:generate go run ./internal/kernelgen .
