//go:build (darwin || linux) && (amd64 || arm64)

package ccalltest

import "unsafe"

// StackWords is how much of the stack Callee records.
const StackWords = 48

// Capture is what one call of Callee found.
type Capture struct {
	Ints   [8]uint64          // rdi, rsi, rdx, rcx, r8, r9, al, sp mod 16; or x0 to x7
	X8     uint64             // x8
	Floats [8][2]uint64       // xmm0 to xmm7, or v0 to v7
	Stack  [StackWords]uint64 // the stack arguments and what lies beyond
}

// Answer is what Callee returns.
type Answer struct {
	Ints   [2]uint64    // rax, rdx; or x0, x1
	Floats [4][2]uint64 // xmm0 and xmm1, or v0 to v3
	Memory [16]uint64   // written through rdi or x8; rax is then rdi
	// Indirect is how many words are written to memory: 0 for a result in
	// registers.
	Indirect uint64
}

// The state that Callee works on. Tests that use it do not run in parallel.
var (
	captures [8]Capture
	answers  [8]Answer
	calls    uint64 // of Callee since Reset: the index into both
)

// callee is the address of the assembly function; see Callee.
var callee uintptr

// Callee returns the address of a C function that records its arguments and
// answers what was set. After Reset it may be called 8 times.
func Callee() uintptr { return callee }

// Reset forgets all calls and sets what the next ones answer.
func Reset(a ...Answer) {
	captures = [8]Capture{}
	answers = [8]Answer{}
	copy(answers[:], a)
	calls = 0
}

// Calls returns how many calls Callee has had since Reset, and what they found.
func Calls() []Capture { return captures[:calls] }

// Run calls a C function on the goroutine's stack with one argument, a pointer
// to heap memory. The function may use 7 KB of stack.
func Run(fn uintptr, arg unsafe.Pointer)
