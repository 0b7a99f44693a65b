package objcsoft

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// blockClass is the name of the class of blocks, as on a Mac.
const blockClass = "__NSMallocBlock__"

// blockArgs recycles the words that a block is called with.
type blockArgs [callWords]uintptr

// block is the payload of a block. It keeps what the Go function captured alive.
type block struct {
	layout   *layout
	fn       func(args []uintptr) uintptr
	captured []ID // retained
}

// NewBlock makes a block with a count of one. enc is the block's signature, such as "v@?@"; fn gets
// the words of the arguments after the block itself, and must not keep them. The block retains the
// captured objects as long as it lives.
func (rt *Runtime) NewBlock(enc string, fn func(args []uintptr) uintptr, captured ...ID) (ID, error) {
	if fn == nil {
		return 0, errors.New("objc: block without a function")
	}
	l, err := rt.blockLayout(enc)
	if err != nil {
		return 0, err
	}
	for i, id := range captured {
		if err := rt.Retain(id); err != nil {
			for _, other := range captured[:i] {
				rt.mustRelease(other)
			}
			return 0, err
		}
	}
	return rt.NewObject(rt.blockClass, &block{l, fn, captured}), nil
}

func (rt *Runtime) blockLayout(enc string) (*layout, error) {
	if l, ok := rt.blockEncs.Load(enc); ok {
		return l.(*layout), nil
	}
	sig, err := typeenc.ParseBlock(enc)
	if err != nil {
		return nil, fmt.Errorf("objc: block encoding %q: %w", enc, err)
	}
	l, err := newLayout(enc, sig.Ret, sig.Args[1:])
	if err != nil {
		return nil, err
	}
	if l.retWords > 1 {
		return nil, fmt.Errorf("objc: block %q returns %d words, limit 1", enc, l.retWords)
	}
	kept, _ := rt.blockEncs.LoadOrStore(enc, l)
	return kept.(*layout), nil
}

// BlockEncoding returns the signature of a block, or "" if id is not a block.
func (rt *Runtime) BlockEncoding(id ID) string {
	if o := rt.table.get(id); o != nil {
		if b, ok := o.Payload.(*block); ok {
			return b.layout.text
		}
	}
	return ""
}

// InvokeBlock calls a block with the words of its arguments, which are not kept. A panic in its
// function becomes an error, and is reported to the OnBlockPanic hook. The block is kept alive
// during the call.
func (rt *Runtime) InvokeBlock(id ID, args []uintptr) (uintptr, error) {
	if id == 0 {
		return 0, fmt.Errorf("objc: call of a nil block (at %s): %w", callSite(), ErrNotObject)
	}
	o := rt.table.get(id)
	if o == nil {
		return 0, rt.noObject("invoke", id)
	}
	b, ok := o.Payload.(*block)
	if !ok {
		return 0, &MessageError{Method: o.class.bracketed("invoke"), Fault: ErrNotObject, Detail: "not a block",
			Site: callSite()}
	}
	if len(args) != b.layout.argWords {
		return 0, fmt.Errorf("objc: block %q called with %d words, takes %d (at %s): %w", b.layout.text, len(args),
			b.layout.argWords, callSite(), ErrEncoding)
	}
	if stackUsed() > maxStack {
		return 0, fmt.Errorf("objc: block %q: %w (at %s)", b.layout.text, ErrDepth, callSite())
	}
	if !o.retain() {
		return 0, rt.noObject("invoke", id)
	}
	res, err := rt.callBlock(b, args)
	if err != nil {
		if hook, _ := rt.onBlockPanic.Load().(func(ID, error)); hook != nil {
			hook(id, err)
		}
	}
	if left, _ := o.release(); left == 0 {
		err = errors.Join(err, rt.dealloc(o))
	}
	return res, err
}

func (rt *Runtime) callBlock(b *block, args []uintptr) (res uintptr, err error) {
	buf := rt.blockArgs.Get().(*blockArgs)
	var words []uintptr
	if len(args) <= len(buf) {
		words = buf[:copy(buf[:], args)]
	} else {
		words = append(words, args...)
	}
	for _, n := range b.layout.narrow {
		words[n.word] = n.how.apply(words[n.word])
	}
	defer func() {
		if r := recover(); r != nil {
			res, err = 0, fmt.Errorf("objc: block %q: %w", b.layout.text, &PanicError{Value: r, Stack: debug.Stack()})
			return
		}
		rt.blockArgs.Put(buf)
	}()
	res = b.layout.narrowRet.apply(b.fn(words))
	if b.layout.retWords == 0 {
		res = 0
	}
	return res, nil
}

// OnBlockPanic sets the hook that is called after a panic inside a block; nil removes it. The hook
// must not panic itself.
func (rt *Runtime) OnBlockPanic(hook func(block ID, err error)) { rt.onBlockPanic.Store(hook) }
