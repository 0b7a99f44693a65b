//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// blockLiteral has the layout of the Blocks ABI with one captured word: the key of the Go function.
// The runtime calls the copy helper when it copies the block and the dispose helper when a copy is
// freed, so the key is forgotten with the last copy. Callbacks cannot be freed, so all blocks with
// the same number of arguments share one.
type blockLiteral struct {
	isa        uintptr
	flags      int32
	_          int32 // reserved
	invoke     uintptr
	descriptor *blockDescriptor
	key        uintptr
}

type blockDescriptor struct {
	_         uintptr // reserved
	size      uintptr
	copy      uintptr
	dispose   uintptr
	signature *byte
}

const (
	blockHasCopyDispose = 1 << 25
	blockHasSignature   = 1 << 30
	maxBlockArgs        = 6
)

// blockTable holds the Go functions behind live blocks.
type blockTable struct {
	sync.Mutex
	next    uintptr
	entries map[uintptr]*blockEntry
	shapes  map[string]*blockShape // by encoding; never freed, as there are few
	invoke  [maxBlockArgs + 1]uintptr
	copy    uintptr
	dispose uintptr
}

type blockEntry struct {
	shape *blockShape
	fn    func(args []uintptr) uintptr
	refs  int
}

type blockShape struct {
	sig        *typeenc.Signature
	plan       *ccall.Plan
	descriptor blockDescriptor
	signature  []byte
}

func (a *appleRuntime) blockShape(encoding string) (*blockShape, error) {
	t := &a.blocks
	if s, ok := t.shapes[encoding]; ok {
		return s, nil
	}
	sig, err := typeenc.ParseBlock(encoding)
	if err != nil {
		return nil, err
	}
	if n := len(sig.Args) - 1; n > maxBlockArgs {
		return nil, fmt.Errorf("%d arguments exceed the limit of %d: %w", n, maxBlockArgs, ErrArguments)
	}
	for _, arg := range append(sig.Args[1:], sig.Ret) {
		if arg.IsAggregate() || arg.IsFloat() {
			return nil, fmt.Errorf("%v: a block may only take and return integers, pointers and objects: %w", arg,
				errors.ErrUnsupported)
		}
	}
	plan, err := ccall.NewPlan(sig)
	if err != nil {
		return nil, err
	}
	if t.copy == 0 {
		t.copy = a.load.callback(func(dst, _ uintptr) uintptr { return a.countBlock(dst, 1) })
		t.dispose = a.load.callback(func(block uintptr) uintptr { return a.countBlock(block, -1) })
	}
	s := &blockShape{sig: sig, plan: plan, signature: append([]byte(encoding), 0)}
	s.descriptor = blockDescriptor{
		size: unsafe.Sizeof(blockLiteral{}), copy: t.copy, dispose: t.dispose, signature: &s.signature[0],
	}
	if t.shapes == nil {
		t.shapes = map[string]*blockShape{}
		t.entries = map[uintptr]*blockEntry{}
	}
	t.shapes[encoding] = s
	return s, nil
}

// invoker returns the callback for blocks of n arguments.
func (a *appleRuntime) invoker(n int) uintptr {
	t := &a.blocks
	if t.invoke[n] != 0 {
		return t.invoke[n]
	}
	run := func(block uintptr, args ...uintptr) uintptr { return a.runBlock(block, args) }
	var fn any
	switch n {
	case 0:
		fn = func(b uintptr) uintptr { return run(b) }
	case 1:
		fn = func(b, x uintptr) uintptr { return run(b, x) }
	case 2:
		fn = func(b, x, y uintptr) uintptr { return run(b, x, y) }
	case 3:
		fn = func(b, x, y, z uintptr) uintptr { return run(b, x, y, z) }
	case 4:
		fn = func(b, x, y, z, u uintptr) uintptr { return run(b, x, y, z, u) }
	case 5:
		fn = func(b, x, y, z, u, v uintptr) uintptr { return run(b, x, y, z, u, v) }
	case 6:
		fn = func(b, x, y, z, u, v, w uintptr) uintptr { return run(b, x, y, z, u, v, w) }
	}
	t.invoke[n] = a.load.callback(fn)
	return t.invoke[n]
}

// newBlock returns a heap block, +1.
func (a *appleRuntime) newBlock(encoding string, fn func([]uintptr) uintptr) (ID, error) {
	t := &a.blocks
	t.Lock()
	shape, err := a.blockShape(encoding)
	if err != nil {
		t.Unlock()
		return 0, err
	}
	t.next++
	key := t.next
	t.entries[key] = &blockEntry{shape: shape, fn: fn}
	template := &blockLiteral{
		isa: a.concreteStackBlock, flags: blockHasCopyDispose | blockHasSignature,
		invoke: a.invoker(len(shape.sig.Args) - 1), descriptor: &shape.descriptor, key: key,
	}
	t.Unlock()
	// Unlock first: the copy helper takes the lock.
	ptr := ccall.CallC(a.blockCopy, Addr(template))
	runtime.KeepAlive(template)
	if ptr == 0 {
		t.Lock()
		delete(t.entries, key)
		t.Unlock()
		return 0, fmt.Errorf("_Block_copy: %w", ErrNil)
	}
	return a.own(ptr, holdMade)
}

func blockKey(block uintptr) uintptr {
	return *(*uintptr)(unsafe.Add(foreign(block), unsafe.Offsetof(blockLiteral{}.key)))
}

func (a *appleRuntime) countBlock(block uintptr, by int) uintptr {
	key := blockKey(block)
	t := &a.blocks
	t.Lock()
	defer t.Unlock()
	if e := t.entries[key]; e != nil {
		if e.refs += by; e.refs <= 0 {
			delete(t.entries, key)
		}
	}
	return 0
}

// runBlock is called by every callback, on any thread.
func (a *appleRuntime) runBlock(block uintptr, args []uintptr) uintptr {
	t := &a.blocks
	t.Lock()
	e := t.entries[blockKey(block)]
	t.Unlock()
	if e == nil {
		report("block", ErrReleased)
		return 0
	}
	p := pushPool()
	defer p.drain()
	for i := range args {
		arg := e.shape.sig.Args[i+1]
		args[i] = narrow(args[i], arg)
		if !isObject(arg.Kind) || args[i] == 0 {
			continue
		}
		id, err := a.borrow(args[i])
		if err != nil {
			report("block argument", err)
		}
		args[i] = uintptr(id)
	}
	res := e.fn(args)
	if isObject(e.shape.sig.Ret.Kind) && res != 0 {
		ptr, err := a.handles.address(ID(res))
		if err != nil {
			report("block result", err)
			return 0
		}
		p.promote(ID(res)) // it may be autoreleased
		return ptr
	}
	return res
}

// narrow clears the bits above an argument's width, which the ABIs leave undefined.
func narrow(w uintptr, t typeenc.Type) uintptr {
	switch {
	case t.Kind == typeenc.Bool:
		return Bool(w&0xff != 0)
	case t.Size >= 8 || t.Size <= 0:
		return w
	}
	shift := uint(64 - 8*t.Size)
	if t.IsSigned() {
		return uintptr(int64(w) << shift >> shift)
	}
	return w << shift >> shift
}

// callBlock calls a block, whether Go or Objective-C made it.
func (a *appleRuntime) callBlock(id ID, encoding string, args []uintptr) (uintptr, error) {
	ptr, err := a.handles.address(id)
	if err != nil {
		return 0, err
	}
	t := &a.blocks
	t.Lock()
	shape, err := a.blockShape(encoding)
	t.Unlock()
	if err != nil {
		return 0, err
	}
	if len(args) != len(shape.sig.Args)-1 {
		return 0, fmt.Errorf("%d argument words given, the block takes %d: %w", len(args), len(shape.sig.Args)-1,
			ErrArguments)
	}
	words := make([]uintptr, 1, maxBlockArgs+1)
	words[0] = ptr
	for i, w := range args {
		if isObject(shape.sig.Args[i+1].Kind) && w != 0 {
			if w, err = a.handles.address(ID(w)); err != nil {
				return 0, fmt.Errorf("argument %d: %w", i, err)
			}
		}
		words = append(words, w)
	}
	invoke := *(*uintptr)(unsafe.Add(foreign(ptr), unsafe.Offsetof(blockLiteral{}.invoke)))
	var ret [1]uintptr
	shape.plan.CallFunc(invoke, words, ret[:])
	if isObject(shape.sig.Ret.Kind) && ret[0] != 0 {
		res, err := a.borrow(ret[0])
		return uintptr(res), err
	}
	return ret[0], nil
}
