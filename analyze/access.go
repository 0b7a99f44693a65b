package analyze

import (
	"math"
	"strconv"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/affine"
)

// Reasons of figures.
const (
	dataReason   = "the address depends on data"
	launchReason = "the distance of lanes depends on numbers of the launch"
	shiftReason  = "depends on where the shared part of the address is in a line"
)

// access describes an access.
func (r *Report) access(f *ir.Func, a *affine.Access) Access {
	s := Access{Place: placeOf(f, a.Instr.Loc), Size: a.Size, Memory: memoryOf(f, a), Operation: event.Load,
		BankPasses: unknown("only threadgroup memory has banks")}
	switch {
	case a.Instr.Op.Info().Has(ir.Atomic):
		s.Operation = event.Atomic
	case a.Instr.Op == ir.OpStore, a.Instr.Op == ir.OpMatStore, a.Instr.Op == ir.OpClear,
		a.Instr.Op == ir.OpCopy && a.Pointer == a.Instr.Args[0]:
		s.Operation = event.Store
	}
	s.Space = map[ir.Space]event.Space{ir.Device: event.Device, ir.Constant: event.Constant,
		ir.Threadgroup: event.Threadgroup}[a.Space]
	line, threads := int64(r.Model.Line), threadsOf(r.Threadgroup)
	open := func(p Pattern, reason string) Access {
		n := float64(min(threads, affine.Width))
		unit := max(a.Kind.Size(), 1) // elements are aligned, vectors need not be
		each := float64((a.Size-2*unit+r.Model.Line)/r.Model.Line + 1)
		worst := n * each
		s.Pattern, s.Stride = p, unknown(reason)
		s.Lines = between(math.Ceil(float64(a.Size)/float64(line)), worst, reason)
		s.Efficiency = between(float64(a.Size)/(each*float64(line)), 1, reason)
		s.BankPasses = unknown(reason)
		return s.withoutLines()
	}
	if a.Address == nil {
		if a.Instr.Op == ir.OpMatLoad || a.Instr.Op == ir.OpMatStore {
			return open(LaunchDependent, "the elements of a simdgroup matrix are not described")
		}
		return open(DataDependent, dataReason)
	}
	var low, high, unique, groups, worstBanks, bestBanks int64
	for g := 0; g*affine.Width < threads; g++ {
		l, ok := a.Address.Lanes(r.Threadgroup, g)
		switch {
		case !ok:
			return open(LaunchDependent, "a quotient, remainder, minimum or maximum of the launch's numbers")
		case l.Symbolic:
			return open(LaunchDependent, launchReason)
		}
		fewest, most := linesOf(&l, int64(a.Size), line)
		low, high, unique, groups = low+fewest, high+most, unique+bytesOf(&l, int64(a.Size)), groups+1
		b := banksOf(&l, int64(a.Size))
		worstBanks = max(worstBanks, b)
		if g == 0 {
			bestBanks = b
			s.Pattern, s.Stride = patternOf(&l, int64(a.Size))
		} else if bestBanks = min(bestBanks, b); l.N == affine.Width {
			if p, stride := patternOf(&l, int64(a.Size)); p != s.Pattern || stride != s.Stride {
				s.Pattern, s.Stride = Irregular, unknown("the simdgroups of a threadgroup differ")
			}
		}
	}
	n := float64(groups)
	s.Lines = between(float64(low)/n, float64(high)/n, shiftReason)
	s.Efficiency = between(float64(unique)/float64(high*line), float64(unique)/float64(low*line), shiftReason)
	switch {
	case s.Space != event.Threadgroup:
	case r.Model.Banks == 0:
		s.BankPasses = unknown("the banks of " + r.Model.Description + " are not documented")
	default:
		s.BankPasses = between(float64(bestBanks), float64(worstBanks), "the simdgroups of a threadgroup differ")
	}
	return s.withoutLines()
}

// withoutLines returns the access without figures about lines if its memory has none.
func (s Access) withoutLines() Access {
	if s.Space == event.Threadgroup {
		s.Lines, s.Efficiency = unknown("threadgroup memory has no lines"), unknown("threadgroup memory has no lines")
	}
	return s
}

// patternOf classifies the addresses of lanes.
func patternOf(l *affine.Lanes, size int64) (Pattern, Figure) {
	if l.N == 1 {
		return Broadcast, exact(0)
	}
	steady := func(from, n int) (int64, bool) {
		d := l.Relative[from+1] - l.Relative[from]
		for i := from + 1; i < from+n; i++ {
			if l.Relative[i]-l.Relative[i-1] != d {
				return 0, false
			}
		}
		return d, true
	}
	if d, ok := steady(0, l.N); ok {
		switch d {
		case 0:
			return Broadcast, exact(0)
		case size:
			return Sequential, exact(float64(d))
		}
		return Strided, exact(float64(d))
	}
rows:
	for _, n := range []int{16, 8, 4, 2} {
		if l.N%n != 0 || l.N == n {
			continue
		}
		d, _ := steady(0, n)
		for row := 0; row < l.N; row += n {
			e, ok := steady(row, n)
			if !ok || e != d || row > 0 && l.Relative[row]-l.Relative[row-n] != l.Relative[n]-l.Relative[0] {
				continue rows
			}
		}
		return Tiled, exact(float64(d))
	}
	return Irregular, unknown("the distance of neighboring lanes is not constant")
}

// linesOf returns the fewest and the most lines that lanes touch, over all that the shared part of
// the address can be.
func linesOf(l *affine.Lanes, size, line int64) (fewest, most int64) {
	fewest = math.MaxInt64
	step := line
	if l.Unit != 0 {
		for step = 1; l.Unit%(step*2) == 0 && step < line; step *= 2 { // lines are powers of 2
		}
	}
	for shift := int64(0); shift < line; shift += step {
		seen := map[int64]bool{}
		for _, x := range l.Relative[:l.N] {
			for y := (x + shift) &^ (line - 1); y < x+shift+size; y += line {
				seen[y] = true
			}
		}
		fewest, most = min(fewest, int64(len(seen))), max(most, int64(len(seen)))
	}
	return fewest, most
}

// bytesOf returns the number of different bytes that lanes access.
func bytesOf(l *affine.Lanes, size int64) int64 {
	seen := map[int64]bool{}
	for _, x := range l.Relative[:l.N] {
		for i := range size {
			seen[x+i] = true
		}
	}
	return int64(len(seen))
}

// banksOf returns the number of passes that lanes' access to threadgroup memory takes.
func banksOf(l *affine.Lanes, size int64) int64 {
	seen := map[int64]bool{}
	var passes ir.BankPasses
	for _, x := range l.Relative[:l.N] {
		for y := x &^ (ir.BankWord - 1); y < x+size; y += ir.BankWord {
			if !seen[y] {
				seen[y] = true
				passes.Add(uint64(y) / ir.BankWord)
			}
		}
	}
	return passes.N
}

// memoryOf returns the name of the accessed memory.
func memoryOf(f *ir.Func, a *affine.Access) string {
	base := a.Pointer
	if a.Address != nil {
		base = a.Address.Base
	}
	for base.Def != nil && (base.Def.Op == ir.OpOffset || base.Def.Op == ir.OpField) {
		base = base.Def.Args[0]
	}
	in := base.Def
	switch {
	case in == nil:
	case in.Op == ir.OpArg:
		if name := f.Args[in.Imm].Name; name != "" {
			return name
		}
		return "argument " + strconv.Itoa(int(in.Imm))
	case in.Op == ir.OpSharedAddr:
		return f.Threadgroup[in.Imm].Name
	case in.Op == ir.OpGlobalAddr:
		return f.Module.Globals[in.Imm].Name
	}
	return "memory reached through a pointer"
}
