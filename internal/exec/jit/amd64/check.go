package amd64

import (
	"errors"
	"fmt"
)

// check returns what is wrong with the operands of an instruction in an encoding, or nil.
func (r *row) check(e encoding, bits int, x *Args) error {
	if err := r.checkLength(e, bits); err != nil {
		return err
	}
	highest := uint8(31)
	if e == vex {
		highest = 15
	}
	var seen arg // fields, as bits
	for _, g := range r.args {
		if g == 0 {
			break
		}
		var err error
		switch seen |= 1 << (g.field() >> 5); g.field() {
		case inD:
			err = g.checkRegister("D", x.D, highest)
		case inX:
			err = g.checkRegister("X", x.X, highest)
		case inY:
			err = r.checkY(e, g, x.Y, highest)
		case inImm:
			err = r.checkImmediate(g, x.Imm)
		}
		if err != nil {
			return err
		}
	}
	switch unused := func(f arg) bool { return seen&(1<<(f>>5)) == 0 }; {
	case unused(inD) && x.D != 0:
		return fmt.Errorf("has no operand D, which is %d", x.D)
	case unused(inX) && x.X != 0:
		return fmt.Errorf("has no operand X, which is %d", x.X)
	case unused(inY) && x.Y != Operand{}:
		return errors.New("has no operand Y")
	case unused(inImm) && x.Imm != 0:
		return fmt.Errorf("has no immediate, which is %d", x.Imm)
	}
	if err := r.checkMask(e, *x); err != nil {
		return err
	}
	return r.checkDistinct(e, *x)
}

func (r *row) checkLength(e encoding, bits int) error {
	switch {
	case lengthCode(bits) < 0:
		return fmt.Errorf("vector length %d; want 128, 256 or 512 bits", bits)
	case e == legacy || r.is&(length0|length1) != 0:
		return nil
	case e == vex && bits > 256:
		return errors.New("with VEX has no form with 512 bits")
	case bits < 256 && r.is&from256 != 0:
		return errors.New("has no form with 128 bits")
	case bits < 512 && r.is&only512 != 0:
		return fmt.Errorf("has no form with %d bits", bits)
	}
	return nil
}

// checkRegister checks the number of a register in D or X.
func (g arg) checkRegister(name string, n, highestVec uint8) error {
	highest := uint8(15)
	switch {
	case g.kind() == mask:
		highest = 7
	case g.vecBits(128) != 0:
		highest = highestVec
	}
	if n > highest {
		return fmt.Errorf("%s is register %d, over %d", name, n, highest)
	}
	return nil
}

// checkY checks the operand that may be in memory.
func (r *row) checkY(e encoding, g arg, y Operand, highestVec uint8) error {
	indexes := g.kind() == indexFull || g.kind() == indexHalf
	fits := false
	switch y.kind {
	case noOperand:
		return errors.New("operand Y is missing")
	case inVec:
		fits = g.vecBits(128) != 0 && !indexes
	case inReg:
		fits = g.regBits() != 0
	case inMask:
		fits = g.kind() == mask
	case inMemory, inCode:
		fits = g.canMemory() && !(e == vex && r.is&regVEX != 0)
	case inMemoryVector:
		fits = indexes
	}
	if !fits {
		return fmt.Errorf("operand Y cannot be %s", y.kind)
	}
	if y.broadcast && (!y.isMemory() || e != evex || r.element == 0) {
		return errors.New("operand Y cannot be broadcast")
	}
	if !y.isMemory() && !indexes {
		return g.checkRegister("Y", y.reg, highestVec)
	}
	if err := y.checkAddress(); err != nil {
		return err
	}
	if indexes && y.index > highestVec {
		return fmt.Errorf("index register %d, over %d", y.index, highestVec)
	}
	return nil
}

func (r *row) checkImmediate(g arg, v int64) error {
	low, high := r.immediates(g)
	if v < low || v > high {
		return fmt.Errorf("immediate %d; want %d to %d", v, low, high)
	}
	return nil
}

// checkMask checks the write mask.
func (r *row) checkMask(e encoding, x Args) error {
	first := r.args[0]
	indexes := r.indexes()
	switch {
	case x.K > K7:
		return fmt.Errorf("write mask %d, over 7", x.K)
	case x.K != K0 && (e != evex || r.is&noMask != 0):
		return errors.New("has no write mask")
	case x.K == K0 && e == evex && indexes:
		return errors.New("needs a write mask")
	case x.Zero && x.K == K0:
		return errors.New("zeroing needs a write mask")
	case x.Zero && (indexes || first.field() != inD || first.vecBits(128) == 0):
		return errors.New("cannot zero what the mask excludes")
	}
	return nil
}

// indexes reports whether an operand is memory at a vector of indexes.
func (r *row) indexes() bool {
	for _, g := range r.args {
		if k := g.kind(); k == indexFull || k == indexHalf {
			return true
		}
	}
	return false
}

// checkDistinct checks that a gather does not overwrite its indexes or mask before it is through.
func (r *row) checkDistinct(e encoding, x Args) error {
	if r.args[0].field() != inD || !r.indexes() {
		return nil
	}
	if x.D == x.Y.index || e == vex && (x.X == x.D || x.X == x.Y.index) {
		return errors.New("the registers of result, indexes and mask must differ")
	}
	return nil
}

func (k operandKind) String() string {
	return [...]string{"nothing", "a vector register", "a general-purpose register", "a mask register", "memory",
		"memory at a vector of indexes", "memory at a label"}[k]
}
