package emit

import (
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// table is a map from variables that is quick to read and to empty.
type table[T any] struct {
	entries []entry[T] // by variable
	keys    []lir.Ref  // those that were set, removed ones included
	now     uint32
}

// entry is a variable's value, if now is the table's.
type entry[T any] struct {
	value T
	now   uint32
}

// reset empties the table, for the variables of a program.
func (t *table[T]) reset(p *lir.Program) {
	if n := len(p.Vars); n > cap(t.entries) {
		t.entries = make([]entry[T], n)
	} else {
		t.entries = t.entries[:n]
	}
	t.clear()
}

func (t *table[T]) get(r lir.Ref) (value T, ok bool) {
	e := &t.entries[r]
	if e.now != t.now {
		return value, false
	}
	return e.value, true
}

// at returns the value of a variable, or zero.
func (t *table[T]) at(r lir.Ref) T {
	v, _ := t.get(r)
	return v
}

func (t *table[T]) has(r lir.Ref) bool { return t.entries[r].now == t.now }

func (t *table[T]) set(r lir.Ref, v T) {
	if !t.has(r) {
		t.keys = append(t.keys, r)
	}
	t.entries[r] = entry[T]{v, t.now}
}

func (t *table[T]) remove(r lir.Ref) { t.entries[r].now = 0 }

// clear removes all values.
func (t *table[T]) clear() {
	t.keys = t.keys[:0]
	if t.now++; t.now == 0 { // old entries must not count again
		clear(t.entries[:cap(t.entries)])
		t.now = 1
	}
}

// all yields the variables that have a value; one that was removed and set again, twice.
func (t *table[T]) all(yield func(lir.Ref) bool) {
	for _, r := range t.keys {
		if t.has(r) && !yield(r) {
			return
		}
	}
}
