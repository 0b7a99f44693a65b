//go:build !amd64

package vm

import "github.com/puremetal/puremetal/internal/ir"

func hasVectors() bool { return false }

func hasFused() bool { return false }

func vectorOne(ir.Op, ir.Kind) *[1]func(*frame, *op) { return nil }

func vectorPair(ir.Op, ir.Kind) *[3]func(*frame, *op) { return nil }

func vectorTruth(ir.Op, ir.Kind) *[12]func(*frame, *op) { return nil }

func vectorFused() *[7]func(*frame, *op) { return nil }

func vectorSelect() func(*frame, *op) { return nil }

func vectorFast(ir.Op) []func(*frame, *op) { return nil }

func vectorChain(*frame, *op) {}

func chainCode(ir.Op, linkForm) int32 { return 0 }
