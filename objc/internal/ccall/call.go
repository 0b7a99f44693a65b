//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"runtime"
	"sync"
)

// frameWords is the size of a pooled frame: larger than any call of the
// frameworks this project binds needs, and a size class of the allocator.
const frameWords = 128

// callFrame is a frame of a single call.
type callFrame struct{ mem [frameWords]uintptr }

var frames = sync.Pool{New: func() any { return new(callFrame) }}

// Call calls a method's implementation, or objc_msgSend or its _stret variant
// as fn, with self, cmd and the words of the further arguments. The result's
// words go to ret, as many as fit; ret may be nil. Missing argument words are
// zero. Neither args nor ret is kept.
//
// An indirect result is zeroed before the call, so that a message to nil, which
// leaves it untouched, gives zeros.
func (p *Plan) Call(fn, self, cmd uintptr, args, ret []uintptr) {
	if p.head != 2 || p.size > frameWords {
		p.callLarge(fn, prepend(self, cmd, args), ret)
		return
	}
	f := frames.Get().(*callFrame)
	if p.plain && len(args) == p.argWords-2 {
		fillPlain((*[frameShort]uintptr)(f.mem[:]), fn, self, cmd, args)
	} else {
		p.fill(f.mem[:], addressOf(f.mem[:]), fn, args)
		f.mem[p.headAt[0]] = self
		f.mem[p.headAt[1]] = cmd
	}
	run(f.mem[:])
	if p.retWords > 0 && len(ret) > 0 {
		p.decode(f.mem[:], ret)
	}
	frames.Put(f)
}

// CallFunc calls a C function, or a block's, with the words of all its
// arguments, and is else like [Plan.Call].
func (p *Plan) CallFunc(fn uintptr, args, ret []uintptr) {
	if len(args) < p.head || p.size > frameWords {
		p.callLarge(fn, args, ret)
		return
	}
	f := frames.Get().(*callFrame)
	p.fillAll(f.mem[:], addressOf(f.mem[:]), fn, args)
	run(f.mem[:])
	if p.retWords > 0 && len(ret) > 0 {
		p.decode(f.mem[:], ret)
	}
	frames.Put(f)
}

// fillAll is fill with the head among the arguments, which hold it at least.
func (p *Plan) fillAll(mem []uintptr, base uintptr, fn uintptr, args []uintptr) {
	p.fill(mem, base, fn, args[p.head:])
	for i := range p.head {
		mem[p.headAt[i]] = args[i]
	}
}

// callLarge makes a call that does not fit a pooled frame, or whose arguments
// are not all there.
func (p *Plan) callLarge(fn uintptr, args, ret []uintptr) {
	if len(args) < p.argWords {
		args = pad(args, p.argWords)
	}
	mem := make([]uintptr, max(p.size, frameWords)) // a size class of aligned memory
	p.fillAll(mem, addressOf(mem), fn, args)
	run(mem)
	p.decode(mem, ret)
}

func prepend(self, cmd uintptr, args []uintptr) []uintptr {
	return append([]uintptr{self, cmd}, args...)
}

// intRegisters is the number of integer registers for arguments.
func intRegisters() int {
	if runtime.GOARCH == "amd64" {
		return sysvInts
	}
	return armInts
}

// CallC calls a C function whose arguments and result are integers and pointers
// of 8 bytes each, and which takes no variable arguments. (Narrower integers
// serve too as long as they are in registers: the first 6, on arm64 8.)
func CallC(fn uintptr, args ...uintptr) uintptr {
	regs := min(len(args), intRegisters())
	stack := len(args) - regs
	f := frames.Get().(*callFrame)
	mem := f.mem[:]
	if frameShort+stack+1 > frameWords {
		mem = make([]uintptr, frameShort+stack+1)
	}
	mem[frameFn] = fn
	mem[frameFlags] = uintptr(roundUp(stack, 2)) << stackShift
	mem[frameStackAt] = frameShort * 8
	mem[frameX8] = 0
	copy(mem[frameInts:], args[:regs])
	copy(mem[frameShort:], args[regs:])
	run(mem)
	r := mem[frameRet]
	frames.Put(f)
	return r
}
