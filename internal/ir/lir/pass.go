package lir

// Pass is a set of passes over programs.
type Pass uint32

// The passes, in the order of their first use. Each is a method of the same name.
const (
	SimplifyMasks Pass = 1 << iota // mask operations are simplified
	DropUnused                     // values that are never read are removed
	Coalesce                       // a result with a single copy is written directly to the copy's destination
	DropJumps                      // jumps to the next instruction are removed
	numPasses          = iota

	AllPasses Pass = 1<<numPasses - 1
)

var passNames = [numPasses]string{"masks", "unused", "coalesce", "jumps"}

// String returns the name of the lowest pass of a set.
func (p Pass) String() string {
	for i, name := range passNames {
		if p>>i&1 != 0 {
			return name
		}
	}
	return "none"
}

// Simplify cleans up after lowering, with all passes except those in off. The program must be valid
// and not yet allocated; it stays valid.
func (p *Program) Simplify(off Pass) {
	for _, pass := range order {
		if off&pass == 0 {
			pass.run(p)
		}
	}
}

var order = [...]Pass{SimplifyMasks, DropUnused, Coalesce, DropJumps}

// run runs one pass.
func (pass Pass) run(p *Program) {
	switch pass {
	case SimplifyMasks:
		p.SimplifyMasks()
	case DropUnused:
		p.DropUnused()
	case Coalesce:
		p.Coalesce()
	case DropJumps:
		p.DropJumps()
	}
}
