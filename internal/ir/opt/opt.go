// Package opt rewrites kernels into ones that do the same with less work. What a kernel gives stays
// the same to the bit, as package ir says; what a sanitizer or a trace would see does not, so those
// get the kernel as the compiler made it.
//
// Each pass is one function over a whole kernel, takes time in proportion to its size, and can be
// left out. The constant space does not change during a launch, says package ir, so what is read
// through it is read once where it is needed often.
package opt

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// Pass is a set of passes.
type Pass uint32

// The passes, in the order of their first use.
const (
	Specialise Pass = 1 << iota // function constants that are given become constants
	Copies                      // copies and clears of variables become loads and stores
	Promote                     // variables that are accessed at fixed places become values
	Fold                        // operations on constants are carried out, branches on them taken
	Identities                  // operations that give an operand, or a cheaper operation's result, are replaced
	Redundant                   // results and parameters that can only be one value become that
	Unroll                      // loops of a known number of rounds that name elements of variables are written out
	Addresses                   // constants leave the indices of addresses
	Common                      // what has been worked out already is not worked out again
	Select                      // branches to a few cheap operations become selects
	Motion                      // what is the same in each round of a loop moves before it
	Dead                        // what nobody needs goes
	numPasses       = iota

	All Pass = 1<<numPasses - 1
)

var passNames = [numPasses]string{"specialise", "copies", "promote", "fold", "identities", "redundant", "unroll",
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

// Evaluator carries out a Lanewise operation on numbers of kind from, with results of kind to: the
// bits that an engine's own instruction gives.
type Evaluator func(op ir.Op, from, to ir.Kind, x [4]uint64) [2]uint64

// Options says what to do.
type Options struct {
	Off       Pass      // passes to leave out
	Scalar    Evaluator // without it nothing is folded, nor unrolled
	Constants []FConst  // by place in Func.Constants; those behind the end are left to the launch

	// Stop reports whether to stop before the next pass; nil never does.
	Stop func() bool
}

// FConst is what a launch gives for a function constant.
type FConst struct {
	Given   bool // the value is known now: Lanes, or that there is none
	Defined bool
	Lanes   [4]uint64
}

// Run rewrites a valid kernel. The result is valid, and does the same, also when Run was stopped.
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

// order is the order of the passes. Some come twice, since others make work for them.
var order = [...]Pass{Specialise, Fold, Identities, Redundant, Dead, Copies, Promote, Fold, Identities, Redundant,
	Unroll, Promote, Fold, Identities, Redundant, Addresses, Dead, Common, Redundant,
	Select, Identities, Common, Motion, Dead}

// run runs one pass.
func (p Pass) run(s *session) {
	switch p {
	case Specialise:
		specialise(s)
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
