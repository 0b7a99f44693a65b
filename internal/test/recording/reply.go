package recording

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// Kind is the kind of an object result, which the encoding does not contain.
type Kind uint8

// The kinds of object results.
const (
	Instance   Kind = iota // an instance of Reply.Class
	Text                   // an NSString, see TextOf
	URL                    // an NSURL of the path "/" + TextOf
	Data                   // NSData with the bytes of TextOf
	Array                  // an array with one instance of Reply.Class
	Texts                  // an array with one NSString
	Map                    // a dictionary with one key, TextOf, and an instance of Reply.Class
	ArrayMap               // the same with an array of one instance
	TextMap                // the same with TextOf as the value too
	Failure                // an NSError, see ErrorOf
	Numbers                // an array with one NSNumber, see NumberOf
	Lists                  // an array with one array of one instance
	Dictionary             // a dictionary with one instance of Reply.Key as its key, and an instance of Reply.Class
)

// Reply determines how messages are answered.
type Reply struct {
	Kind    Kind
	Class   string
	Key     string // class of a dictionary's key
	Out     string // class of the object for an out-parameter
	Variant int    // selects other values; an odd variant makes a BOOL NO
	Self    bool   // the receiver itself, with another reference if the method is retained
	Empty   bool   // nil, NO, 0
	Small   bool   // integers are 1 to 4, pointers nil: values that a caller can safely use
	Number  uint64 // unless 0, the integer
	// an NSError, see ErrorOf, through the last argument; with an object or BOOL result Empty usually
	// goes with it
	Error bool
}

// TextOf is the text that a method replies with.
func TextOf(selector string, variant int) string {
	return fmt.Sprintf("%s → %d", strings.ReplaceAll(selector, ":", "."), variant)
}

// NumberOf is the number that a method replies with.
func NumberOf(selector string, variant int) int64 { return int64(hash(selector, variant)) >> 16 }

// ErrorOf is the domain, code and description of the NSError that a method gives.
func ErrorOf(selector string) (domain string, code int, description string) {
	return "RecordingErrorDomain", int(hash(selector, 0)>>40) + 1, "no luck with " + selector
}

func hash(selector string, n int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d", selector, n)
	return h.Sum64()
}

// Words returns the words of a result that is not an object: integers are a hash of the selector in
// their width, BOOL is YES, floats are finite, and structures have a different value in each word.
func Words(selector string, variant int, t typeenc.Type) []uintptr {
	words := make([]uintptr, typeenc.Words(t))
	for i := range words {
		words[i] = uintptr(hash(selector, variant*100+i))
	}
	switch t.Kind {
	case typeenc.Bool:
		words[0] = uintptr(1 - variant&1)
	case typeenc.Float:
		words[0] = uintptr(math.Float32bits(float32(int32(words[0])) / 3))
	case typeenc.Double:
		words[0] = uintptr(math.Float64bits(float64(int64(words[0])) / 3))
	case typeenc.Struct:
		if rest := t.Size % 8; rest != 0 {
			words[len(words)-1] &= 1<<(8*rest) - 1
		}
	default:
		if t.Size > 0 && t.Size < 8 {
			words[0] &= 1<<(8*t.Size) - 1
		}
		if t.IsSigned() && t.Size < 8 {
			shift := 64 - 8*t.Size
			words[0] = uintptr(int64(words[0]) << shift >> shift)
		}
	}
	return words
}

// IsInit reports whether a selector is of the init family: its method takes the receiver's
// reference and returns one.
func IsInit(selector string) bool {
	rest, ok := strings.CutPrefix(selector, "init")
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

// fill makes the result and the values for out-parameters.
func (d *Device) fill(m *Message, r Reply, ret typeenc.Type) error {
	if ret.Kind == typeenc.Void {
		return nil
	}
	m.Result = make([]uintptr, typeenc.Words(ret))
	switch {
	case IsInit(m.Method.Selector) && m.Receiver != 0 && ret.Kind == typeenc.Object:
		m.Result[0] = uintptr(m.Receiver)
		if r.Empty { // an initializer that fails consumes the reference
			m.Result[0] = 0
			return d.rt.Release(m.Receiver)
		}
	case r.Empty:
	case r.Self:
		m.Result[0] = uintptr(m.Receiver)
		if m.Method.Retained {
			return d.rt.Retain(m.Receiver)
		}
	case ret.IsObject():
		id, err := d.object(m, r)
		if err != nil {
			return err
		}
		if !m.Method.Retained {
			if err := d.rt.Autorelease(id); err != nil {
				return err
			}
		}
		m.Result[0] = uintptr(id)
	default:
		m.Result = Words(m.Method.Selector, r.Variant, ret)
		if r.Small {
			makeSmall(m.Result, ret)
		}
		if r.Number != 0 {
			m.Result[0] = uintptr(r.Number)
		}
	}
	return d.fillOut(m, r)
}

func (d *Device) fillOut(m *Message, r Reply) error {
	last := len(m.Args) - 1
	if r.Error {
		if err := d.store(m, last, d.newError(m.Method.Selector)); err != nil {
			return err
		}
	}
	if r.Out == "" || r.Empty {
		return nil
	}
	id, err := d.Object(r.Out)
	if err != nil {
		return err
	}
	m.Made = append(m.Made, id)
	return d.store(m, last-1, id)
}

func (d *Device) newError(selector string) objcsoft.ID {
	domain, code, text := ErrorOf(selector)
	return d.rt.NewError(domain, int64(code), text, 0)
}

// store autoreleases an object and writes it through an argument.
func (d *Device) store(m *Message, arg int, id objcsoft.ID) error {
	if err := d.rt.Autorelease(id); err != nil {
		return err
	}
	if arg < 0 || m.Args[arg].Type.Kind != typeenc.Pointer {
		return fmt.Errorf("recording: %s: argument %d is no out-parameter", m.Method.Selector, arg)
	}
	return objcsoft.WriteWords(m.Args[arg].Words[0], uintptr(id))
}

// object makes an object result with a count of one.
func (d *Device) object(m *Message, r Reply) (objcsoft.ID, error) {
	text := TextOf(m.Method.Selector, r.Variant)
	instance := func() (objcsoft.ID, error) {
		id, err := d.Object(r.Class)
		m.Made = append(m.Made, id)
		return id, err
	}
	array := func(id objcsoft.ID, err error) (objcsoft.ID, error) {
		if err != nil {
			return 0, err
		}
		a, err := d.rt.NewArray([]objcsoft.ID{id})
		if err != nil {
			return 0, err
		}
		return a, d.rt.Release(id)
	}
	dictionary := func(id objcsoft.ID, err error) (objcsoft.ID, error) {
		if err != nil {
			return 0, err
		}
		a, err := d.rt.NewDictionary(map[string]objcsoft.ID{text: id})
		if err != nil {
			return 0, err
		}
		return a, d.rt.Release(id)
	}
	switch r.Kind {
	case Text:
		return d.rt.NewString(text), nil
	case URL:
		return d.rt.NewFileURL("/" + text), nil
	case Data:
		return d.rt.NewData([]byte(text)), nil
	case Array:
		return array(instance())
	case Texts:
		return array(d.rt.NewString(text), nil)
	case Map:
		return dictionary(instance())
	case ArrayMap:
		return dictionary(array(instance()))
	case Failure:
		return d.newError(m.Method.Selector), nil
	case Numbers:
		return array(d.rt.NewInt(NumberOf(m.Method.Selector, r.Variant)), nil)
	case Lists:
		return array(array(instance()))
	case Dictionary:
		return d.dictionary(m, r)
	case TextMap:
		return dictionary(d.rt.NewString(text), nil)
	}
	return instance()
}

// dictionary makes a dictionary with one object as its key.
func (d *Device) dictionary(m *Message, r Reply) (objcsoft.ID, error) {
	key, err := d.Object(r.Key)
	if err != nil {
		return 0, err
	}
	value, err := d.Object(r.Class)
	if err != nil {
		return 0, err
	}
	m.Key, m.Made = key, append(m.Made, value)
	dict, err := d.rt.NewDictionaryOf([]objcsoft.ID{key}, []objcsoft.ID{value})
	if err != nil {
		return 0, err
	}
	if err := d.rt.Release(key); err != nil {
		return 0, err
	}
	return dict, d.rt.Release(value)
}

// makeSmall replaces the words of a result with small ones.
func makeSmall(words []uintptr, t typeenc.Type) {
	switch {
	case t.Kind == typeenc.Pointer || t.Kind == typeenc.CString:
		clear(words)
	case t.Kind != typeenc.Bool && !t.IsFloat():
		for i := range words {
			words[i] = 1 + words[i]&3
		}
	}
}
