//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// Limits of a call.
const (
	MaxResultWords = 16   // words of a result
	MaxStackBytes  = 2048 // bytes of arguments on the stack
	MaxArgWords    = 256  // words of all arguments
	objectWords    = 64   // words that ObjectArgs can speak of
)

// Plan says how to make calls of one signature. It does not change after
// [NewPlan] and serves any number of goroutines.
type Plan struct {
	arch   string
	sig    *typeenc.Signature
	layout layout

	argWords  int // of all arguments
	retWords  int
	objects   uint64
	retObject bool

	// The frame: see frame.go.
	size    int     // words
	flags   uintptr // the header's flags and number of stack words
	stackAt uintptr // the header's byte offset of the stack words
	retPtr  int     // where the address of an indirect result goes; 0: none
	result  int     // where the result's words are after the call, or after decode
	direct  bool    // no decode is needed
	plain   bool    // all is in integer registers as it is: see fillPlain

	head   int        // leading arguments that are one register each: 2, or 0
	headAt [2]int     // where they go
	ops    []argOp    // for the words of the other arguments
	rets   []resultOp // for the result's words; unless direct
}

// NewPlan makes the plan for a signature on the architecture this runs on. It
// refuses by name what it cannot pass: see the package's documentation.
func NewPlan(sig *typeenc.Signature) (*Plan, error) { return NewPlanFor(runtime.GOARCH, sig) }

// NewPlanFor makes a plan for "amd64" or "arm64". One for another architecture
// than this serves to look at placements, not to call.
func NewPlanFor(arch string, sig *typeenc.Signature) (*Plan, error) {
	if sig.Ret.Kind != typeenc.Void {
		if err := passable(&sig.Ret); err != nil {
			return nil, fmt.Errorf("ccall: the result in %q: %w", sig.Encoding, err)
		}
	}
	for i := range sig.Args {
		if err := passable(&sig.Args[i]); err != nil {
			return nil, fmt.Errorf("ccall: argument %d in %q: %w", i, sig.Encoding, err)
		}
	}
	p := &Plan{arch: arch, sig: sig}
	switch arch {
	case "amd64":
		p.layout = layoutSysV(sig)
	case "arm64":
		p.layout = layoutApple64(sig)
	default:
		return nil, fmt.Errorf("ccall: no calling convention for architecture %q", arch)
	}
	if err := p.countWords(); err != nil {
		return nil, err
	}
	p.compile()
	return p, nil
}

func (p *Plan) countWords() error {
	p.retWords = typeenc.Words(p.sig.Ret)
	p.retObject = p.sig.Ret.IsObject()
	if p.retWords > MaxResultWords {
		return fmt.Errorf("ccall: the result in %q has %d words, more than %d", p.sig.Encoding, p.retWords, MaxResultWords)
	}
	for i := range p.sig.Args {
		t := &p.sig.Args[i]
		if t.IsObject() {
			if p.argWords >= objectWords {
				return fmt.Errorf("ccall: argument %d in %q is an object at word %d, beyond the limit of %d", i, p.sig.Encoding,
					p.argWords, objectWords)
			}
			p.objects |= 1 << p.argWords
		}
		p.argWords += typeenc.Words(*t)
	}
	if p.argWords > MaxArgWords {
		return fmt.Errorf("ccall: the arguments in %q have %d words, more than %d", p.sig.Encoding, p.argWords, MaxArgWords)
	}
	if p.layout.stackBytes > MaxStackBytes {
		return fmt.Errorf("ccall: the arguments in %q take %d bytes of stack, more than %d", p.sig.Encoding,
			p.layout.stackBytes, MaxStackBytes)
	}
	return nil
}

// Signature returns what the plan was made from.
func (p *Plan) Signature() *typeenc.Signature { return p.sig }

// Arch returns the architecture the plan is for.
func (p *Plan) Arch() string { return p.arch }

// Stret reports whether a message must be sent with objc_msgSend_stret: on
// amd64, where the result is written through a hidden first argument. arm64 has
// a register for that address and no such variant.
func (p *Plan) Stret() bool { return p.arch == "amd64" && p.layout.ret.Indirect }

// ArgWords returns the number of words of all arguments, self and _cmd included.
func (p *Plan) ArgWords() int { return p.argWords }

// RetWords returns the number of words of the result, 0 for void.
func (p *Plan) RetWords() int { return p.retWords }

// ObjectArgs returns a bit for each word of the arguments that is an object, a
// class or a block: bit 0 for the first word, which for a method is self.
func (p *Plan) ObjectArgs() uint64 { return p.objects }

// RetIsObject reports whether the result is an object, a class or a block.
func (p *Plan) RetIsObject() bool { return p.retObject }

// NumArgs returns the number of arguments, self and _cmd included.
func (p *Plan) NumArgs() int { return len(p.layout.args) }

// Arg returns where the i-th argument goes. The caller must not change it.
func (p *Plan) Arg(i int) Placement { return p.layout.args[i] }

// Ret returns where the result comes from. The caller must not change it.
func (p *Plan) Ret() Placement { return p.layout.ret }

// ArgString describes where the i-th argument goes: "rdx,rcx" for two
// registers, "[8:24]" for 24 bytes from stack offset 8, "&x2" for the address
// of a copy.
func (p *Plan) ArgString(i int) string {
	r := registersOf(p.arch)
	return p.layout.args[i].text(r.args, r.floats)
}

// RetString describes where the result comes from, "&rdi" or "&x8" where its
// address is passed, and "" for void.
func (p *Plan) RetString() string {
	r := registersOf(p.arch)
	if p.layout.ret.Indirect {
		return p.layout.ret.text(r.args, r.floats)
	}
	return p.layout.ret.text(r.results, r.floats)
}
