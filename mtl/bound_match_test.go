package mtl

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/objcsoft/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"
)

// boundCall is one call of a generated function: the arguments given and the message expected.
type boundCall struct {
	*boundSubject
	recorder *boundRecorder
	vs       *boundValues
	sig      []typeenc.Type // after _cmd, without the trailing NSError ** and out-object
	plan     []int          // for each of sig, the Go parameter; boundDerived for a count, -index-2 for a range
	args     []reflect.Value

	ret        typeenc.Type
	trailing   int       // out-parameters for an error and an object
	outResults []uintptr // what went through memory and must come back as results

	out     []func() error // what must be true of the Go arguments after the call
	words   int            // argument words verified
	problem []string
}

// Markers for arguments without a Go parameter: the length of a slice, and memory that becomes a Go
// result.
const (
	boundDerived   = -1
	boundOutResult = -1000
)

var boundDerivedLabel = regexp.MustCompile(`(?i)^(.*count|numRegions|length|size|initWithRank)$`)

func (c *boundCall) failf(format string, args ...any) {
	c.problem = append(c.problem, fmt.Sprintf(format, args...))
}

// newBoundCall determines which Go parameter becomes which argument.
func (r *boundRecorder) newBoundCall(s *boundSubject, encoding string, args []typeenc.Type, variant int) (*boundCall,
	error) {
	c := &boundCall{boundSubject: s, recorder: r, vs: &boundValues{recorder: r, variant: variant}, sig: args}
	for n := len(args); n > 0 && args[n-1].Kind == typeenc.Pointer && args[n-1].Elem.Kind == typeenc.Object &&
		!args[n-1].Const; n-- {
		c.trailing++
	}
	c.sig = args[:len(args)-c.trailing]
	t := s.fn.Type()
	short := len(c.sig) - t.NumIn()
	slice := false
	for _, in := range boundIns(t) {
		slice = slice || in.Kind() == reflect.Slice
	}
	label := func(i int) string {
		if s.decl == nil { // a C function: the argument after a pointer
			if i > 0 && args[i-1].Kind == typeenc.Pointer {
				return "length"
			}
			return ""
		}
		return strings.TrimSuffix(s.decl.labels[i], ":")
	}
	in := 0
	for i, a := range c.sig {
		switch {
		case short > 0 && !slice && a.Kind == typeenc.Pointer && !a.Const:
			c.plan = append(c.plan, boundOutResult)
			short--
			continue
		case short > 0 && slice && a.Kind == typeenc.Uint64 && boundDerivedLabel.MatchString(label(i)):
			c.plan = append(c.plan, boundDerived)
			short--
			continue
		case in >= t.NumIn():
			return nil, fmt.Errorf("argument %d of %s has no parameter in %v", i, encoding, t)
		case slice && a.Kind == typeenc.Struct && a.Name == "_NSRange" && t.In(in).Kind() == reflect.Uint:
			c.plan = append(c.plan, -in-2)
		default:
			c.plan = append(c.plan, in)
		}
		in++
	}
	if in != t.NumIn() || short != 0 {
		return nil, fmt.Errorf("%d parameters of %v for %d arguments of %s", t.NumIn(), t, len(c.sig), encoding)
	}
	return c, nil
}

func boundIns(t reflect.Type) (list []reflect.Type) {
	for i := range t.NumIn() {
		list = append(list, t.In(i))
	}
	return list
}

// declOf returns the declared type of argument i.
func (c *boundCall) declOf(i int) string {
	if c.decl == nil || i >= len(c.decl.types) {
		return ""
	}
	return c.decl.types[i]
}

// makeArgs makes the Go arguments.
func (c *boundCall) makeArgs() {
	decls := make([]string, c.fn.Type().NumIn())
	for i, p := range c.plan {
		if p >= 0 {
			decls[p] = c.declOf(i)
			if c.sig[i].Kind == typeenc.CString {
				decls[p] = "char"
			}
		}
	}
	for i, t := range boundIns(c.fn.Type()) {
		c.args = append(c.args, c.vs.make(t, decls[i]))
	}
}

// count returns the number of elements common to the slices that become C arrays.
func (c *boundCall) count() int {
	n := -1
	for i, p := range c.plan {
		if p >= 0 && c.sig[i].Kind == typeenc.Pointer && c.args[p].Kind() == reflect.Slice {
			if k := c.args[p].Len(); n < 0 || k < n {
				n = k
			}
		}
	}
	return n
}

// inspect compares a message with the Go arguments. It runs inside the message, while the memory is
// valid.
func (c *boundCall) inspect(m *recording.Message) {
	if len(m.Args) < len(c.plan) {
		c.failf("%d arguments arrived, want %d", len(m.Args), len(c.plan))
		return
	}
	for _, a := range m.Args {
		if a.Type.Kind == typeenc.Pointer || a.Type.Kind == typeenc.CString {
			boundShake()
			break
		}
	}
	for i, p := range c.plan {
		a := m.Args[i]
		var err error
		switch {
		case p == boundOutResult:
			c.vs.n++
			v := uintptr(0x5151_0000 + c.vs.n)
			c.outResults = append(c.outResults, v)
			err = objcsoft.WriteWords(a.Words[0], v)
		case p == boundDerived:
			err = boundSameWords(a.Words, uintptr(c.count()))
		case p < boundDerived:
			err = boundSameWords(a.Words, uintptr(c.args[-p-2].Uint()), uintptr(c.count()))
		default:
			err = c.compare(a, c.args[p], c.declOf(i))
		}
		if err != nil {
			c.failf("argument %d (%v): %v", i, a.Type, err)
		}
		c.words += len(a.Words)
	}
	for _, a := range m.Args[len(c.plan):] {
		if a.Words[0] == 0 {
			c.failf("the out-parameter is nil")
		}
		c.words++
	}
}

// boundShake moves the goroutine's stack and runs the garbage collector, as can happen during any
// message: memory that an argument points to must survive both.
func boundShake() {
	boundDeep(200)
	runtime.GC()
}

//go:noinline
func boundDeep(n int) byte {
	var frame [1024]byte
	if n > 0 {
		frame[n] = boundDeep(n - 1)
	}
	return frame[n]
}

func boundSameWords(got []uintptr, want ...uintptr) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%#x arrived, want %#x", got, want)
	}
	return nil
}

// compare checks one argument against its Go value.
func (c *boundCall) compare(a recording.Arg, v reflect.Value, decl string) error {
	switch a.Type.Kind {
	case typeenc.Block:
		return c.compareBlock(a, v)
	case typeenc.Object, typeenc.Class:
		return c.compareObject(a.Value, v, decl)
	case typeenc.Pointer, typeenc.CString:
		return c.comparePointer(a, v)
	case typeenc.Struct:
		if int(v.Type().Size()) != a.Type.Size {
			return fmt.Errorf("%v has %d bytes, want %d", v.Type(), v.Type().Size(), a.Type.Size)
		}
		return boundSameWords(a.Words, boundImage(v)...)
	}
	w, ok := boundWord(v)
	if !ok {
		return fmt.Errorf("a %v for a scalar", v.Type())
	}
	if err := boundSameScalar(v.Type(), a.Type); err != nil {
		return err
	}
	return boundSameWords(a.Words, w)
}

// boundSameScalar checks width and signedness of a Go type.
func boundSameScalar(t reflect.Type, e typeenc.Type) error {
	signed := t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64
	if int(t.Size()) != e.Size || signed != e.IsSigned() {
		return fmt.Errorf("Go type %v for encoding %v", t, e)
	}
	return nil
}

func (c *boundCall) compareObject(got recording.Value, v reflect.Value, decl string) error {
	if _, ok := boundWrapperOf(v.Type()); ok || v.Type() == boundIDType {
		if want := boundIDOf(v); objc.ID(got.ID) != want {
			return fmt.Errorf("%#x (%s) arrived, want %#x", got.ID, got.Class, want)
		}
		return nil
	}
	class := func(names ...string) error {
		if !slices.Contains(names, got.Class) {
			return fmt.Errorf("a %s arrived, want %s", got.Class, names[0])
		}
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		want := "NSString"
		if strings.Contains(decl, "NSURL") {
			want = "NSURL"
		}
		if got.Text != v.String() {
			return fmt.Errorf("%q arrived, want %q", got.Text, v.String())
		}
		return class(want)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if !bytes.Equal(got.Data, v.Bytes()) {
				return fmt.Errorf("%x arrived, want %x", got.Data, v.Bytes())
			}
			return class("NSData")
		}
		if len(got.Items) != v.Len() {
			return fmt.Errorf("%d elements arrived, want %d", len(got.Items), v.Len())
		}
		for i, item := range got.Items {
			if err := c.compareObject(item, v.Index(i), ""); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return class("NSArray")
	case reflect.Map:
		want := slices.Sorted(maps.Keys(boundMapKeys(v)))
		if keys := slices.Sorted(slices.Values(got.Keys)); !slices.Equal(keys, want) {
			return fmt.Errorf("keys %q arrived, want %q", keys, want)
		}
		for i, k := range got.Keys {
			if err := c.compareObject(got.Items[i], v.MapIndex(reflect.ValueOf(k)), ""); err != nil {
				return fmt.Errorf("value of %q: %w", k, err)
			}
		}
		return class("NSDictionary")
	}
	return fmt.Errorf("a %v for an object", v.Type())
}

func boundMapKeys(v reflect.Value) map[string]bool {
	keys := map[string]bool{}
	for _, k := range v.MapKeys() {
		keys[k.String()] = true
	}
	return keys
}

// compareBlock checks that a block has the shape of the Go function.
func (c *boundCall) compareBlock(a recording.Arg, v reflect.Value) error {
	sig, err := typeenc.ParseBlock(a.Value.Block)
	if err != nil {
		return fmt.Errorf("%#x is no block: %w", a.Words, err)
	}
	if n := v.Type().NumIn(); n != len(sig.Args)-1 {
		return fmt.Errorf("block %s for a function of %d parameters", a.Value.Block, n)
	}
	return nil
}

// comparePointer checks a C array or C string, and writes to memory that the method may write to.
func (c *boundCall) comparePointer(a recording.Arg, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Uintptr:
		return boundSameWords(a.Words, uintptr(v.Uint()))
	case reflect.String:
		s, err := objcsoft.ReadCString(a.Words[0])
		if err == nil && s != v.String() {
			err = fmt.Errorf("%q arrived, want %q", s, v.String())
		}
		return err
	case reflect.Pointer:
		if err := boundSameWords(a.Words, v.Pointer()); err != nil {
			return err
		}
		return c.writeBack(a, v.Elem())
	case reflect.Slice:
	default:
		return fmt.Errorf("a %v for a pointer", v.Type())
	}
	if _, ok := boundWrapperOf(v.Type().Elem()); ok {
		words, err := objcsoft.ReadWords(a.Words[0], uint64(v.Len()))
		if err != nil {
			return err
		}
		want := make([]uintptr, v.Len())
		for i := range want {
			want[i] = uintptr(boundIDOf(v.Index(i)))
		}
		return boundSameWords(words, want...)
	}
	if size := a.Type.Elem.Size; size != int(v.Type().Elem().Size()) && a.Type.Elem.Kind != typeenc.Void {
		return fmt.Errorf("elements of %v have %d bytes, want %d", v.Type(), v.Type().Elem().Size(), size)
	}
	for i := range v.Len() {
		want := boundImageBytes(v.Index(i))
		got, err := objcsoft.ReadMemory(a.Words[0]+uintptr(i*len(want)), uint64(len(want)))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("element %d: %x arrived, want %x", i, got, want)
		}
	}
	return c.writeBack(a, v)
}

// writeBack writes to the memory behind a pointer that is not const, to be found in the Go value
// afterwards.
func (c *boundCall) writeBack(a recording.Arg, v reflect.Value) error {
	if a.Type.Const {
		return nil
	}
	size := int(v.Type().Size())
	if v.Kind() == reflect.Slice {
		size = v.Len() * int(v.Type().Elem().Size())
	}
	want := make([]byte, size)
	for i := range want {
		want[i] = byte(0xa0 + i)
	}
	c.out = append(c.out, func() error {
		got := []byte{}
		if v.Kind() == reflect.Slice {
			for i := range v.Len() {
				got = append(got, boundImageBytes(v.Index(i))...)
			}
		} else {
			got = boundImageBytes(v)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("memory written by the method reads %x, want %x", got, want)
		}
		return nil
	})
	return objcsoft.WriteMemory(a.Words[0], want)
}
