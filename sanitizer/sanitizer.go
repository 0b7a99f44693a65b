// Package sanitizer has what the software device finds wrong with kernels: kinds of mistakes,
// findings, and their forms for programs. Ask for them with compute.WithSanitizer, with the
// variable PUREMETAL_SANITIZE, or with puremetal run --sanitize.
//
// The rules:
//
//   - Lanes do not run in step. Threads of a simdgroup that share memory need a simdgroup_barrier.
//
//   - A barrier orders the memory that its flags name and no other.
//
//   - Threadgroups of a launch are not ordered. Atomic operations do not race with each other, but
//     they do with plain accesses, and relaxed ones order nothing else.
//
//   - Threads that use threadgroup memory atomically must come after the one that initializes it,
//     although atomic operations do not race: else it is uninitialized.
//
//   - Fences order as in C++: what comes before a fence that releases comes before what follows a
//     fence that acquires, if an atomic write after the first is read by an atomic read before the
//     second. A fence orders the memory that its flags name. With the scope of a threadgroup it
//     orders only threads of the same one. That memory is coherent(device) is not required.
//
//   - Races are by byte. A write of what is there already changes nothing and does not race.
//
//   - Texels are memory of their own, which the flag mem_texture orders. A thread that reads a
//     texel that it has written needs the texture's fence in between. Any texture's fence counts.
//     Accesses of a texture and of the buffer that it is made of are ordered by barriers for
//     textures and for device memory together.
//
//   - Two threads that encode the same command of an indirect command buffer race, unless a barrier
//     for device memory orders them.
//
//   - A thread that has returned never reaches a barrier that others wait at: divergence.
//
//   - A copy of a structure reads no padding, and the copy counts as written.
//
//   - An index of 32 bits must not overflow in additions, subtractions, multiplications and shifts
//     to the left whose results are used as indices without any other operation in between, also
//     in components of vectors and in variables that change. For unsigned numbers, adding
//     0xffffffff is subtracting 1, and is all right.
//
//   - Commands, which are launches, copies and fills, are ordered as Metal promises: by barriers of
//     concurrent encoders, for the resources or the scope that these name, by fences, by events, by
//     Metal's hazard tracking within a queue (not of heaps and their resources, of buffers that are
//     made untracked as package compute's are, or in Metal 4), and by what the program waits for
//     before it commits. Streams of package compute order their own.
//
//   - Buffers of package compute and of heaps are undefined until something writes them; buffers
//     that a Metal device makes are zeros. A copy of undefined bytes is no read of them; they stay
//     undefined.
//
// Not found: races with the program's own accesses to memory.
package sanitizer

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
)

// Kinds is a set of kinds of findings.
type Kinds uint8

// The kinds of findings.
const (
	Bounds        Kinds = 1 << iota // an access outside of the memory that it names
	Race                            // two unordered accesses of the same bytes, not both reads and not both atomic
	Divergence                      // a barrier that not all threads reach
	Uninitialized                   // a read of memory before anything has written it
	Simd                            // a value taken from a lane that is not active
	Misaligned                      // an address that is not a multiple of what its type requires
	Freed                           // an access to a buffer that has been freed, or whose memory another one has taken
	Overflow                        // an index whose computation does not fit in 32 bits

	All Kinds = 1<<iota - 1
)

// names are the names of the kinds, by bit. They are part of the format of findings.
var names = [...]string{"bounds", "race", "divergence", "uninitialised", "simd", "misaligned", "freed",
	"overflow"}

// descriptions say what the kinds are, by bit.
var descriptions = [...]string{
	"an access outside of the memory that it names",
	"two accesses of the same bytes without an order, one of them a write",
	"a barrier that not all threads of a threadgroup reach",
	"a read of memory before anything has written it",
	"a value taken from a lane that is not active",
	"an address that is not a multiple of the element's size",
	"an access to a buffer that has been freed, or whose memory another one has taken",
	"an index whose computation does not fit in 32 bits",
}

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
	Label   string // of the buffer that was accessed, "" for none
	Offset  uint64 // of the first byte accessed, in that memory; 0 for texels and commands
	Size    int    // bytes accessed; 0 for texels and commands, which the message names
	Advice  string // what to do, "" if nothing is known
}

// Access is what a thread did, or a command that is no launch: then Kernel is "".
type Access struct {
	Place
	Kernel string
	// Command names the encoder and the queue, if two commands race: "compute encoder 2 of queue
	// \"a\"".
	Command string
	Thread  Thread
	Does    string // "reads", "writes", ...
	Value   Value  // read or written, if it is known
}

// Value is a value that a thread has read or written. The zero Value is unknown.
//
// The value of the later access of a race is what it writes or has read; an atomic operation has
// read what it changes. The value of the earlier one is what the memory has held from it until the
// later one. Of races between commands, both are what the memory holds at the end of the later one,
// and only what cannot have been overwritten is known.
type Value struct {
	Type string // char, short, int, long, half, bfloat, float, bool, address; of texels with a 4 at the end
	Text string // an integer below 0 also as unsigned: "-1 (0xffffffff)"; of texels "(1, 0.5, 0, 1)"
}

// String returns the type and the value.
func (v Value) String() string { return v.Type + " " + v.Text }

// does says what the access did, and with which value.
func (a *Access) does() string {
	if a.Value == (Value{}) {
		return a.Does
	}
	verb, how, atomic := strings.Cut(a.Does, " ")
	if atomic {
		how = " " + how
	}
	return fmt.Sprintf("%s %v%s", verb, a.Value, how)
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
	fmt.Fprintf(&b, "\n  %s %s", f.who(), f.what())
	if o := f.Other; o != nil {
		fmt.Fprintf(&b, "\n  %s %s", o.other(), o.does())
		if o.Line != 0 {
			fmt.Fprintf(&b, " at %v", o.Place)
		}
	}
	if f.Advice != "" {
		fmt.Fprintf(&b, "\n  %s", f.Advice)
	}
	return b.String()
}

// what says what the access did to which memory.
func (f *Finding) what() (text string) {
	switch {
	case f.Memory == "":
		return f.Does
	case f.Size == 0 && strings.Contains(f.Memory, "indirect command buffer"):
		return fmt.Sprintf("%s a command of %s", f.Does, f.Memory)
	case f.Size == 0:
		text = fmt.Sprintf("%s a texel of %s", f.Does, f.Memory)
	default:
		text = fmt.Sprintf("%s %d bytes at offset %d of %s", f.Does, f.Size, f.Offset, f.Memory)
	}
	if f.Label != "" && !strings.Contains(f.Memory, strconv.Quote(f.Label)) {
		text += fmt.Sprintf(", labeled %q", f.Label)
	}
	if f.Value != (Value{}) {
		text += ": " + f.Value.String()
	}
	return text
}

// who names the thread or the command.
func (a *Access) who() string {
	switch {
	case a.Thread.Known && a.Command != "":
		return fmt.Sprintf("%v of kernel %q in %s", a.Thread, a.Kernel, a.Command)
	case a.Command == "":
		return fmt.Sprintf("%v of kernel %q", a.Thread, a.Kernel)
	case a.Kernel != "":
		return fmt.Sprintf("kernel %q in %s", a.Kernel, a.Command)
	}
	return a.Command
}

// other names the thread or the command of the other access of a finding.
func (a *Access) other() string {
	if a.Command == "" {
		return a.Thread.String()
	}
	return a.who()
}

// Error returns String: a finding can be an error.
func (f *Finding) Error() string { return f.String() }

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
	if f.Label != "" {
		attrs = append(attrs, slog.String("label", f.Label))
	}
	if f.Value != (Value{}) {
		attrs = append(attrs, slog.String("value", f.Value.String()))
	}
	if f.Command != "" {
		attrs = append(attrs, slog.String("command", f.Command), slog.String("otherCommand", f.Other.Command))
	}
	if f.Other != nil {
		attrs = append(attrs, slog.String("otherPlace", f.Other.Place.String()),
			slog.String("otherThread", f.Other.Thread.String()))
		if f.Other.Value != (Value{}) {
			attrs = append(attrs, slog.String("otherValue", f.Other.Value.String()))
		}
	}
	if f.Advice != "" {
		attrs = append(attrs, slog.String("advice", f.Advice))
	}
	return slog.GroupValue(attrs...)
}
