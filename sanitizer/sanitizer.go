// Package sanitizer has what the software device finds wrong with kernels: kinds of mistakes,
// findings, and their forms for programs. Ask for them with compute.WithSanitizer, with the
// variable PUREMETAL_SANITIZE, or with puremetal run --sanitize.
//
// The rules:
//
//   - Lanes do not run in step. Threads of a simdgroup that share memory need a simdgroup_barrier.
//   - A barrier orders the memory that its flags name and no other.
//   - Threadgroups of a launch are not ordered. Atomic operations do not race with each other, but
//     they do with plain accesses, and relaxed ones order nothing else.
//   - Races are by byte. A write of what is there already changes nothing and does not race.
//   - A thread that has returned never reaches a barrier that others wait at: divergence.
//   - A copy of a structure reads no padding, and the copy counts as written.
//
// Not found yet: races between launches, accesses outside of textures, reads of device memory that
// nothing has written, and orders made by fences together with atomic operations. Two threadgroups
// that hand over data with a fence are reported as a race.
package sanitizer

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// Kinds is a set of kinds of findings.
type Kinds uint8

// The kinds of findings.
const (
	Bounds        Kinds = 1 << iota // an access outside of the memory that it names
	Race                            // two unordered accesses of the same bytes, not both reads and not both atomic
	Divergence                      // a barrier that not all threads reach
	Uninitialized                   // a read of threadgroup or thread memory before anything has written it
	Simd                            // a value taken from a lane that is not active
	Misaligned                      // an address that is not a multiple of an element's size

	All Kinds = 1<<iota - 1
)

// names are the names of the kinds, by bit. They are part of the format of findings.
var names = [...]string{"bounds", "race", "divergence", "uninitialised", "simd", "misaligned"}

// String returns the names, separated by commas.
func (k Kinds) String() string {
	var list []string
	for i, name := range names {
		if k>>i&1 != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}

// Parse reads a list of names separated by commas; "all" stands for all of them.
func Parse(list string) (Kinds, error) {
	var k Kinds
	for name := range strings.SplitSeq(list, ",") {
		switch i := slices.Index(names[:], name); {
		case i >= 0:
			k |= 1 << i
		case name == "all":
			k |= All
		default:
			return 0, fmt.Errorf("%q is no kind of findings; the kinds are all, %s", name, strings.Join(names[:], ", "))
		}
	}
	return k, nil
}

// Finding is a mistake of a kernel.
type Finding struct {
	Kind    Kinds // one
	Message string
	Access  // that made it
	Other   *Access
	Memory  string // what was accessed: an argument, or a kind of memory; "" for none
	Offset  uint64 // of the first byte accessed, in that memory
	Size    int    // bytes accessed
	Advice  string // what to do, "" if nothing is known
}

// Access is what a thread did.
type Access struct {
	Place
	Kernel string
	Thread Thread
	Does   string // "reads", "writes", ...
}

// Place is a position in the source. Its line is 0 if it is unknown.
type Place struct {
	File         string
	Line, Column int // from 1
}

// String returns the place as file:line:column.
func (p Place) String() string {
	if p.Line == 0 {
		return "unknown place"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Thread says which thread of a launch it was. The zero Thread is unknown.
type Thread struct {
	Known       bool
	Threadgroup [3]int // position of its threadgroup in the grid
	Position    [3]int // in its threadgroup
	Index       int    // in its threadgroup
}

// Lane returns the thread's number in its simdgroup.
func (t Thread) Lane() int { return t.Index % 32 }

// String returns the thread's position.
func (t Thread) String() string {
	if !t.Known {
		return "another thread"
	}
	return fmt.Sprintf("thread %v of threadgroup %v", t.Position, t.Threadgroup)
}

// String returns the finding in a few lines, the first of which begins with the place.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %v: %s", f.Place, f.Kind, f.Message)
	fmt.Fprintf(&b, "\n  %v of kernel %q %s", f.Thread, f.Kernel, f.Does)
	if f.Memory != "" {
		fmt.Fprintf(&b, " %d bytes at offset %d of %s", f.Size, f.Offset, f.Memory)
	}
	if f.Other != nil {
		fmt.Fprintf(&b, "\n  %v %s at %v", f.Other.Thread, f.Other.Does, f.Other.Place)
	}
	if f.Advice != "" {
		fmt.Fprintf(&b, "\n  %s", f.Advice)
	}
	return b.String()
}

// Compare orders findings by file, line, column and kind.
func (f *Finding) Compare(g *Finding) int {
	return cmp.Or(cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line), cmp.Compare(f.Column, g.Column),
		cmp.Compare(f.Kind, g.Kind))
}

// LogValue returns the finding's attributes for package slog.
func (f *Finding) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("kind", f.Kind.String()), slog.String("message", f.Message),
		slog.String("kernel", f.Kernel), slog.String("place", f.Place.String()),
		slog.String("thread", f.Thread.String())}
	if f.Memory != "" {
		attrs = append(attrs, slog.String("memory", f.Memory), slog.Uint64("offset", f.Offset),
			slog.Int("size", f.Size))
	}
	if f.Other != nil {
		attrs = append(attrs, slog.String("otherPlace", f.Other.Place.String()),
			slog.String("otherThread", f.Other.Thread.String()))
	}
	if f.Advice != "" {
		attrs = append(attrs, slog.String("advice", f.Advice))
	}
	return slog.GroupValue(attrs...)
}
