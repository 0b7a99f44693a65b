package jit

import "github.com/puremetal/puremetal/internal/ir/lir"

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

func newTable[T any](p *lir.Program) *table[T] {
	return &table[T]{entries: make([]entry[T], len(p.Vars)), now: 1}
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
	t.now++
}

// all yields the variables that have a value; one that was removed and set again, twice.
func (t *table[T]) all(yield func(lir.Ref) bool) {
	for _, r := range t.keys {
		if t.has(r) && !yield(r) {
			return
		}
	}
}
