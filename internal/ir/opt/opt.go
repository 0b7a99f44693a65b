// Package opt optimizes kernels. A kernel's results stay the same to the bit, as package ir defines
// them, but not what a sanitizer or a trace would see, so those run the kernel as compiled.
//
// Each pass is one function over a whole kernel, takes time in proportion to its size, and can be
// left out. Package ir says that the constant space does not change during a launch, so repeated
// reads through it become one.
package opt

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// Pass is a set of passes.
type Pass uint32

// The passes, in the order of their first use.
const (
	Specialize Pass = 1 << iota // function constants with known values become constants
	Copies                      // copies and clears of variables become loads and stores
	Promote                     // variables that are accessed at fixed offsets become values
	Fold                        // operations on constants are evaluated, branches on them resolved
	Identities                  // operations whose result is an operand, or a cheaper operation's result, are replaced
	Redundant                   // results and parameters that can have only one value are replaced by it
	Unroll                      // loops with a known trip count that index variables, and small ones, are unrolled
	Addresses                   // constants move out of the indices of addresses
	Common                      // expressions already computed are not computed again
	Select                      // branches to a few cheap operations become selects
	Motion                      // loop-invariant code moves before the loop
	Dead                        // dead code is removed
	numPasses       = iota

	All Pass = 1<<numPasses - 1
)

var passNames = [numPasses]string{"specialize", "copies", "promote", "fold", "identities", "redundant", "unroll",
	"addresses", "common", "select", "motion", "dead"}

// String returns the name of the lowest pass of a set.
func (p Pass) String() string {
	for i, name := range passNames {
		if p>>i&1 != 0 {
			return name
		}
	}
	return "none"
}

// Evaluator evaluates a Lanewise operation on numbers of kind from, with results of kind to. Its
// results have the same bits as those of the engine's own instruction.
type Evaluator func(op ir.Op, from, to ir.Kind, x [4]uint64) [2]uint64

// Options configures Run.
type Options struct {
	Off       Pass      // passes to leave out
	Scalar    Evaluator // if nil, nothing is folded or unrolled
	Constants []FConst  // by index in Func.Constants; those past the end are left to the launch

	// Stop reports whether to stop before the next pass; nil never does.
	Stop func() bool
}

// FConst is a launch's setting of a function constant.
type FConst struct {
	Given   bool // the value is known now: Lanes, or none
	Defined bool
	Lanes   [4]uint64
}

// Run optimizes a valid kernel. The result is valid and equivalent, even if Run was stopped.
func Run(f *ir.Func, o Options) {
	if o.Scalar == nil {
		o.Off |= Fold | Unroll
	}
	s := newSession(f, &o)
	version := 1
	var settled [numPasses]int // the version of the kernel in which each pass found nothing to do
	for _, p := range order {
		if o.Stop != nil && o.Stop() {
			return
		}
		if p == Unroll {
			s.unrolled = true
			settled[bits.TrailingZeros32(uint32(Identities))] = 0 // there are more of them now
		}
		i := bits.TrailingZeros32(uint32(p))
		if o.Off&p != 0 || settled[i] == version || !s.worthwhile(p) {
			continue
		}
		s.changed = false
		p.run(s)
		if s.changed {
			version++
		} else {
			settled[i] = version
		}
	}
}

// order is the order of the passes. Some run twice, since others create work for them.
var order = [...]Pass{Specialize, Fold, Identities, Redundant, Dead, Copies, Promote, Fold, Identities, Redundant,
	Unroll, Copies, Promote, Fold, Identities, Redundant, Addresses, Dead, Common, Redundant,
	Select, Identities, Fold, Redundant, Common, Select, Motion, Dead}

// run runs one pass.
func (p Pass) run(s *session) {
	switch p {
	case Specialize:
		specialize(s)
	case Copies:
		copies(s)
	case Promote:
		promote(s)
	case Fold:
		fold(s)
	case Identities:
		identities(s)
	case Redundant:
		redundant(s)
	case Unroll:
		unroll(s)
	case Addresses:
		addresses(s)
	case Common:
		common(s)
	case Select:
		selects(s)
	case Motion:
		motion(s)
	case Dead:
		dead(s)
	}
}
