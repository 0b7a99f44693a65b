package fast

import (
	"slices"
	"sync"
)

// Both is two functions of the same arguments as one program, whose results are those of two steps.
// Steps that both have are there once.
type Both struct {
	Program
	Results [2]int
	Shared  int // steps that both functions have, without constants
	Room    int // the registers that a vector needs, apart from those of truth values
	Alone   int // the same for the one of the functions that needs more
	Truths  int // truth values that are there at once
}

// Of2 returns two functions as one program.
func Of2(p, q *Program) *Both {
	key := [2]*Program{p, q}
	if b, ok := boths.Load(key); ok {
		return b.(*Both)
	}
	b, _ := boths.LoadOrStore(key, both(p, q))
	return b.(*Both)
}

var boths sync.Map // of [2]*Program to *Both

func both(p, q *Program) *Both {
	b := &Both{Program: Program{Name: p.Name + " and " + q.Name, Args: p.Args}}
	known := map[Step]int{}
	for i, x := range []*Program{p, q} {
		at, first := make([]int, len(x.Steps)), len(b.Steps) // where the program's steps are
		for j, s := range x.Steps {
			for n, a := range s.Args[:s.Operand] {
				if a >= 0 {
					s.Args[n] = at[a]
				}
			}
			n, ok := known[s]
			if !ok {
				n = len(b.Steps)
				known[s] = n
				b.Steps = append(b.Steps, s)
			} else if i == 1 && n < first && s.Op != Const {
				b.Shared++
			}
			at[j] = n
		}
		b.Results[i] = at[len(at)-1]
		alone, _ := x.Registers([]int{len(x.Steps) - 1}, false)
		b.Alone = max(b.Alone, alone)
	}
	b.Room, b.Truths = b.Registers(b.Results[:], false)
	return b
}

// Registers returns how many registers a program needs for a vector, with its arguments in some,
// and how many truth values there are at once. What a step reads is there until its result is. If
// the arguments' registers are the program's own, others use them after the last step that reads
// them.
func (p *Program) Registers(results []int, ownArgs bool) (registers, truths int) {
	last, lastArgs := p.LastUses()
	for _, r := range results {
		last[r] = len(p.Steps)
	}
	r, t := p.Args, 0 // now
	count := func(s *Step, n int) {
		switch {
		case s.Op == Const:
		case s.Type == Truth:
			t += n
		case s.Type == Double: // in two registers
			r += 2 * n
		default:
			r += n
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Op == Const {
			continue
		}
		count(s, 1)
		const more = 1 // for a constant, or a half of what becomes narrower
		registers, truths = max(registers, r+more), max(truths, t)
		for n, a := range s.Args[:s.Operand] {
			switch {
			case slices.Contains(s.Args[:n], a):
			case a < 0 && ownArgs && lastArgs[^a] == i:
				r--
			case a >= 0 && last[a] == i:
				count(&p.Steps[a], -1)
			}
		}
	}
	return registers, truths
}
