package objcsoft

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// Enc is an interned method encoding; 0 is none.
type Enc uint32

// maxResultWords bounds a result: the largest structure of the bound frameworks has 6 words, and a
// Call contains room for its result.
const maxResultWords = 16

// layout is what a message needs to know about an encoding.
type layout struct {
	enc  Enc
	text string
	ret  typeenc.Type
	args []typeenc.Type // after self and _cmd, or after the block

	offsets  []int // first word of each argument
	argWords int
	retWords int

	narrow    []narrowWord // arguments to extend
	narrowRet extension
}

// extension says how a word smaller than a register is completed.
type extension uint8

const (
	extendNone extension = iota
	extendBool
	extendInt8
	extendUint8
	extendInt16
	extendUint16
	extendInt32
	extendUint32
)

type narrowWord struct {
	word int
	how  extension
}

func extensionOf(k typeenc.Kind) extension {
	switch k {
	case typeenc.Bool:
		return extendBool
	case typeenc.Int8:
		return extendInt8
	case typeenc.Uint8:
		return extendUint8
	case typeenc.Int16:
		return extendInt16
	case typeenc.Uint16:
		return extendUint16
	case typeenc.Int32:
		return extendInt32
	case typeenc.Uint32, typeenc.Float:
		return extendUint32
	default:
		return extendNone
	}
}

func (e extension) apply(w uintptr) uintptr {
	switch e {
	case extendBool:
		if w&0xff != 0 {
			return 1
		}
		return 0
	case extendInt8:
		return uintptr(int8(w))
	case extendUint8:
		return uintptr(uint8(w))
	case extendInt16:
		return uintptr(int16(w))
	case extendUint16:
		return uintptr(uint16(w))
	case extendInt32:
		return uintptr(int32(w))
	case extendUint32:
		return uintptr(uint32(w))
	default:
		return w
	}
}

func newLayout(text string, ret typeenc.Type, args []typeenc.Type) (*layout, error) {
	l := &layout{text: text, ret: ret, args: args, retWords: typeenc.Words(ret)}
	if l.retWords > maxResultWords {
		return nil, fmt.Errorf("objc: result of %q takes %d words, limit %d", text, l.retWords, maxResultWords)
	}
	l.narrowRet = extensionOf(ret.Kind)
	for _, a := range args {
		l.offsets = append(l.offsets, l.argWords)
		if how := extensionOf(a.Kind); how != extendNone {
			l.narrow = append(l.narrow, narrowWord{l.argWords, how})
		}
		l.argWords += typeenc.Words(a)
	}
	return l, nil
}

// encodings interns method encodings by their exact text.
type encodings struct {
	mu     sync.RWMutex
	byText map[string]*layout
	all    []*layout
}

// Encoding interns a method encoding such as "v@:@QQ". Two encodings are the same only if their
// texts are equal.
func (rt *Runtime) Encoding(enc string) (Enc, error) {
	l, err := rt.layoutOf(enc)
	if err != nil {
		return 0, err
	}
	return l.enc, nil
}

// EncodingText returns the text of an interned encoding, "" for an unknown one.
func (rt *Runtime) EncodingText(enc Enc) string {
	e := &rt.encodings
	e.mu.RLock()
	defer e.mu.RUnlock()
	if enc != 0 && int64(enc) < int64(len(e.all)) {
		return e.all[enc].text
	}
	return ""
}

func (rt *Runtime) layoutOf(text string) (*layout, error) {
	e := &rt.encodings
	e.mu.RLock()
	l := e.byText[text]
	e.mu.RUnlock()
	if l != nil {
		return l, nil
	}
	sig, err := typeenc.ParseMethod(text)
	if err != nil {
		return nil, fmt.Errorf("objc: method encoding %q: %w", text, err)
	}
	l, err = newLayout(text, sig.Ret, sig.Args[2:])
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if old := e.byText[text]; old != nil {
		return old, nil
	}
	l.enc = Enc(len(e.all))
	e.all = append(e.all, l)
	e.byText[text] = l
	return l, nil
}
