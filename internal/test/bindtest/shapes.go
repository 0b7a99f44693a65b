package bindtest

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Shapes sends a message of each encoding in the tables to a class whose methods are Go functions,
// on any driver: every argument arrives in its words, and so does the result.
func Shapes(t *testing.T, b *Bindings) {
	if _, err := objc.CurrentDriver(); err != nil {
		t.Skip(err)
	}
	b.prepare()
	c, err := b.shapes()
	require.NoError(t, err)
	for _, why := range c.skipped {
		t.Log("skipped: " + why)
	}
	self, err := c.class.New(b)
	require.NoError(t, err)
	defer objc.Release(self)
	objc.Pool(func() {
		for _, s := range c.shapes {
			s.send(t, c.name, self)
		}
	})
	t.Logf("%d encodings", len(c.shapes))
}

// shapesClass is a class with a method of each encoding. A class stays until the process ends, so
// that a test that runs more than once registers it the first time only.
type shapesClass struct {
	name    string
	class   *objc.GoClass
	shapes  []*shape
	skipped []string // encodings that have no method, with the reason
}

func newShapesClass(b *Bindings) (*shapesClass, error) {
	encodings := map[string]bool{}
	for i := range b.Methods {
		encodings[b.Methods[i].Encoding] = true
	}
	c := &shapesClass{name: "PureMetalShapes" + b.Package}
	spec := objc.ClassSpec{Name: c.name}
	for i, enc := range slices.Sorted(maps.Keys(encodings)) {
		sig, err := typeenc.ParseMethod(enc)
		if err != nil {
			return nil, err
		}
		if strings.Contains(enc, "<") && !strings.Contains(enc, "^{") {
			c.skipped = append(c.skipped, enc+": purego has no callbacks with vectors")
			continue
		}
		if runtime.GOOS == "darwin" && runtime.GOARCH == "arm64" && strings.HasSuffix(enc, "{?=QQ}Q") {
			// No protocol that programs implement has it: they only send it, as TestBound proves.
			c.skipped = append(c.skipped,
				enc+": purego's callbacks take the last register for what follows a structure without room")
			continue
		}
		s := &shape{sig: sig, selector: fmt.Sprintf("shape%d%s", i, strings.Repeat(":", len(sig.Args)-2)), encoding: enc}
		c.shapes = append(c.shapes, s)
		spec.Methods = append(spec.Methods, objc.MethodSpec{Selector: s.selector, Encoding: enc,
			Func: func(self objc.ID, _ any, args, ret []uintptr) {
				s.got = append([]uintptr(nil), args...)
				copy(ret, s.words(self, -1, sig.Ret))
			}})
	}
	var err error
	c.class, err = objc.NewClass(spec)
	return c, err
}

// shape is a method of one encoding.
type shape struct {
	sig                *typeenc.Signature
	selector, encoding string
	got                []uintptr
}

// words are distinctive words for argument i, or for the result if i is -1.
func (s *shape) words(self objc.ID, i int, t typeenc.Type) []uintptr {
	switch {
	case t.Kind == typeenc.Void:
		return nil
	case t.Kind == typeenc.Object:
		return []uintptr{uintptr(self)}
	case t.IsObject(), t.Kind == typeenc.CString: // blocks: nil
		return []uintptr{0}
	case t.Kind == typeenc.Pointer:
		return []uintptr{uintptr(0x1000 + 16*i)}
	}
	words := recording.Words(s.encoding, 2*(i+1), t)
	for i, mask := range fieldWords(t) {
		words[i] &= mask
	}
	return words
}

func (s *shape) send(t *testing.T, class string, self objc.ID) {
	s.got = nil // of a run before
	var args []uintptr
	for i, a := range s.sig.Args[2:] {
		args = append(args, s.words(self, i, a)...)
	}
	want := slices.Clone(args)
	m := &objc.Method{Class: class, Selector: s.selector, Encoding: s.encoding}
	ret := make([]uintptr, typeenc.Words(s.sig.Ret))
	m.CallRet(ret, self, args...)
	assert.Equal(t, want, s.got, "%s: arguments", s.encoding)
	if wantRet := s.words(self, -1, s.sig.Ret); len(wantRet) > 0 {
		assert.Equal(t, wantRet, ret, "%s: result", s.encoding)
	}
}

// fieldWords are masks of the bits of a structure that belong to fields.
func fieldWords(t typeenc.Type) []uintptr {
	if t.Kind != typeenc.Struct {
		return nil
	}
	masks := make([]uintptr, typeenc.Words(t))
	var mark func(t typeenc.Type, at int)
	mark = func(t typeenc.Type, at int) {
		switch {
		case t.Kind == typeenc.Struct:
			for _, f := range t.Fields {
				mark(f, at+f.Offset)
			}
		case t.Kind == typeenc.Array:
			for i := range t.Len {
				mark(*t.Elem, at+i*t.Elem.Size)
			}
		default:
			for i := at; i < at+t.Size; i++ {
				masks[i/8] |= 0xff << (i % 8 * 8)
			}
		}
	}
	mark(t, 0)
	return masks
}
