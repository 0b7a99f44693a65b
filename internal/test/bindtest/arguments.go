package bindtest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"
)

// invocation is one call of a generated function: the arguments given and the message expected.
type invocation struct {
	*subject
	recorder *Recorder
	vs       *values
	sig      []typeenc.Type // after _cmd, without the trailing NSError ** and out-object
	plan     []int          // for each of sig, the Go parameter; derived for a count, -index-2 for a range
	args     []reflect.Value

	ret        typeenc.Type
	trailing   int       // out-parameters for an error and an object
	outResults []uintptr // what went through memory and must come back as results
	// objects that did, which the caller then owns
	objectResults []objc.ID
	appended      []objc.ID // elements added to slices

	out     []func() error // what must be true of the Go arguments after the call
	words   int            // argument words verified
	problem []string
}

// Markers for arguments without a Go parameter: the length of a slice, and memory that becomes a Go
// result.
const (
	derived      = -1
	outResult    = -1000
	objectResult = -1001 // memory for an object that becomes a Go result, +1
	nilZone      = -1002 // an NSZone, which is always nil
)

var derivedLabel = regexp.MustCompile(`(?i)^(.*count|num(?:berOf)?Regions|length|size|initWithRank)$`)

func (c *invocation) failf(format string, args ...any) {
	c.problem = append(c.problem, fmt.Sprintf(format, args...))
}

// newInvocation determines which Go parameter becomes which argument.
func (r *Recorder) newInvocation(s *subject, encoding string, args []typeenc.Type, variant int) (*invocation,
	error) {
	c := &invocation{subject: s, recorder: r, vs: &values{recorder: r, variant: variant, measured: s.measured}, sig: args}
	c.countTrailing(args)
	c.sig = args[:len(args)-c.trailing]
	t := s.fn.Type()
	short := len(c.sig) - t.NumIn()
	slice := false
	for _, in := range ins(t) {
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
		case strings.HasPrefix(c.declOf(i), "NSZone"):
			c.plan = append(c.plan, nilZone)
			short--
			continue
		case short > 0 && isObjectPointer(a):
			c.plan = append(c.plan, objectResult)
			short--
			continue
		case short > 0 && !slice && a.Kind == typeenc.Pointer && !a.Const:
			c.plan = append(c.plan, outResult)
			short--
			continue
		case short > 0 && slice && a.Kind == typeenc.Uint64 && derivedLabel.MatchString(label(i)):
			c.plan = append(c.plan, derived)
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

// countTrailing counts the out-parameters for an error and, before it, an object.
func (c *invocation) countTrailing(args []typeenc.Type) {
	n := len(args)
	if n == 0 || !isObjectPointer(args[n-1]) || c.decl == nil || !strings.HasPrefix(c.decl.types[n-1], "NSError") {
		return
	}
	c.trailing = 1
	if n > 1 && isObjectPointer(args[n-2]) {
		c.trailing = 2
	}
}

func isObjectPointer(t typeenc.Type) bool {
	return t.Kind == typeenc.Pointer && t.Elem.Kind == typeenc.Object && !t.Const
}

func ins(t reflect.Type) (list []reflect.Type) {
	for i := range t.NumIn() {
		list = append(list, t.In(i))
	}
	return list
}

// declOf returns the declared type of argument i.
func (c *invocation) declOf(i int) string {
	if c.decl == nil || i >= len(c.decl.types) {
		return ""
	}
	return c.decl.types[i]
}

// makeArgs makes the Go arguments.
func (c *invocation) makeArgs() {
	decls := make([]string, c.fn.Type().NumIn())
	for i, p := range c.plan {
		if p >= 0 {
			decls[p] = c.declOf(i)
			if c.sig[i].Kind == typeenc.CString {
				decls[p] = "char"
			}
		}
	}
	for i, t := range ins(c.fn.Type()) {
		c.args = append(c.args, c.vs.make(t, decls[i]))
	}
	c.recorder.b.setValid(c.goFunc, c.args)
}

// count returns the number of elements common to the slices that become C arrays.
func (c *invocation) count() int {
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
func (c *invocation) inspect(m *recording.Message) {
	if len(m.Args) < len(c.plan) {
		c.failf("%d arguments arrived, want %d", len(m.Args), len(c.plan))
		return
	}
	for _, a := range m.Args {
		if c.vs.variant == 0 && (a.Type.Kind == typeenc.Pointer || a.Type.Kind == typeenc.CString) {
			shake()
			break
		}
	}
	for i, p := range c.plan {
		a := m.Args[i]
		var err error
		switch {
		case p == outResult:
			c.vs.n++
			v := uintptr(0x5151_0000 + c.vs.n)
			c.outResults = append(c.outResults, v)
			err = objcsoft.WriteWords(a.Words[0], v)
		case p == objectResult:
			err = c.giveObject(a)
		case p == nilZone:
			err = sameWords(a.Words, 0)
		case p == derived:
			err = sameWords(a.Words, uintptr(c.count()))
		case p < derived:
			err = sameWords(a.Words, uintptr(c.args[-p-2].Uint()), uintptr(c.count()))
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

// shake moves the goroutine's stack and runs the garbage collector, as can happen during any
// message: memory that an argument points to must survive both.
func shake() {
	deep(200)
	runtime.GC()
}

//go:noinline
func deep(n int) byte {
	var frame [1024]byte
	if n > 0 {
		frame[n] = deep(n - 1)
	}
	return frame[n]
}

func sameWords(got []uintptr, want ...uintptr) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%#x arrived, want %#x", got, want)
	}
	return nil
}

// compare checks one argument against its Go value.
func (c *invocation) compare(a recording.Arg, v reflect.Value, decl string) error {
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
		return sameWords(a.Words, image(v)...)
	}
	w, ok := wordOf(v)
	if !ok {
		return fmt.Errorf("a %v for a scalar", v.Type())
	}
	if err := sameScalar(v.Type(), a.Type); err != nil {
		return err
	}
	return sameWords(a.Words, w)
}

// sameScalar checks width and signedness of a Go type.
func sameScalar(t reflect.Type, e typeenc.Type) error {
	signed := t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64
	if int(t.Size()) != e.Size || signed != e.IsSigned() {
		return fmt.Errorf("a %v in Go for encoding %v", t, e)
	}
	return nil
}

func (c *invocation) compareObject(got recording.Value, v reflect.Value, decl string) error {
	if _, ok := c.recorder.b.wrapperOf(v.Type()); ok || v.Type() == idType {
		if want := idOf(v); objc.ID(got.ID) != want {
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
		return errors.Join(c.compareMap(got, v), class("NSDictionary"))
	case reflect.Int:
		if got.Int != v.Int() {
			return fmt.Errorf("%d arrived, want %d", got.Int, v.Int())
		}
		return class("NSNumber")
	case reflect.Pointer:
		return c.compareMutable(got, v)
	}
	return fmt.Errorf("a %v for an object", v.Type())
}

func (c *invocation) compareMap(got recording.Value, v reflect.Value) error {
	if len(got.Keys) != v.Len() {
		return fmt.Errorf("%d keys arrived, want %d", len(got.Keys), v.Len())
	}
next:
	for i, k := range got.Keys {
		for _, want := range v.MapKeys() {
			if c.compareObject(k, want, "") != nil {
				continue
			}
			if err := c.compareObject(got.Items[i], v.MapIndex(want), ""); err != nil {
				return fmt.Errorf("value of %v: %w", want, err)
			}
			continue next
		}
		return fmt.Errorf("key %v arrived, which is not in %v", k, v)
	}
	return nil
}

// compareMutable checks an array that the method may append to, and appends an object, which must
// be in the slice after the call, +1.
func (c *invocation) compareMutable(got recording.Value, v reflect.Value) error {
	list := v.Elem()
	if list.Len() != len(got.Items) {
		return fmt.Errorf("%d elements arrived, want %d", len(got.Items), list.Len())
	}
	for i, item := range got.Items {
		if err := c.compareObject(item, list.Index(i), ""); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	name, _ := c.recorder.b.wrapperOf(list.Type().Elem())
	added := c.recorder.object(name)
	if _, err := c.recorder.rt.Message(got.ID, "addObject:", "v@:@", uintptr(added)); err != nil {
		return err
	}
	c.recorder.Release(added) // the array has it
	n := list.Len()
	c.out = append(c.out, func() error {
		if list.Len() != n+1 || idOf(list.Index(n)) != added {
			return fmt.Errorf("%d elements after the call, want %d, the last one %#x", list.Len(), n+1, added)
		}
		c.appended = append(c.appended, added)
		return nil
	})
	return nil
}

// giveObject writes an object, or an array of one, through a pointer. It must become a Go result,
// +1.
func (c *invocation) giveObject(a recording.Arg) error {
	t := c.fn.Type()
	at := len(c.objectResults) + 1
	if at >= t.NumOut() {
		return fmt.Errorf("no Go result for the object")
	}
	result := t.Out(at)
	elem := result
	if result.Kind() == reflect.Slice {
		elem = result.Elem()
	}
	name, _ := c.recorder.b.wrapperOf(elem)
	made := c.recorder.object(name)
	c.objectResults = append(c.objectResults, made)
	out := objcsoft.ID(made)
	if result.Kind() == reflect.Slice {
		array, err := c.recorder.rt.NewArray([]objcsoft.ID{out})
		if err != nil {
			return err
		}
		c.recorder.Release(made)
		out = array
	}
	if err := c.recorder.rt.Autorelease(out); err != nil {
		return err
	}
	return objcsoft.WriteWords(a.Words[0], uintptr(out))
}

// checkObjects compares the results that went through pointers.
func (c *invocation) checkObjects(outs []reflect.Value) {
	for i, want := range c.objectResults {
		v := outs[i]
		if v.Kind() == reflect.Slice {
			if v.Len() != 1 {
				c.failf("result %d has %d elements, want 1", i+1, v.Len())
				continue
			}
			v = v.Index(0)
		}
		if idOf(v) != want {
			c.failf("result %d is %#x, want %#x", i+1, idOf(v), want)
		}
	}
}

// releaseObjects checks, after the pool, that the caller owns those results, and elements that were
// appended.
func (c *invocation) releaseObjects() {
	for _, id := range slices.Concat(c.objectResults, c.appended) {
		if n := c.recorder.rt.RetainCount(objcsoft.ID(id)); n != 1 {
			c.failf("an object that came through a pointer or array has a count of %d after the pool, want 1", n)
		}
		for range c.recorder.rt.RetainCount(objcsoft.ID(id)) {
			c.recorder.Release(id)
		}
	}
}

// compareBlock checks that a block has the shape of the Go function.
func (c *invocation) compareBlock(a recording.Arg, v reflect.Value) error {
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
func (c *invocation) comparePointer(a recording.Arg, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Uintptr:
		return sameWords(a.Words, uintptr(v.Uint()))
	case reflect.String:
		s, err := objcsoft.ReadCString(a.Words[0])
		if err == nil && s != v.String() {
			err = fmt.Errorf("%q arrived, want %q", s, v.String())
		}
		return err
	case reflect.Pointer:
		if err := sameWords(a.Words, v.Pointer()); err != nil {
			return err
		}
		return c.writeBack(a, v.Elem())
	case reflect.Slice:
	default:
		return fmt.Errorf("a %v for a pointer", v.Type())
	}
	if _, ok := c.recorder.b.wrapperOf(v.Type().Elem()); ok {
		words, err := objcsoft.ReadWords(a.Words[0], uint64(v.Len()))
		if err != nil {
			return err
		}
		want := make([]uintptr, v.Len())
		for i := range want {
			want[i] = uintptr(idOf(v.Index(i)))
		}
		return sameWords(words, want...)
	}
	if size := a.Type.Elem.Size; size != int(v.Type().Elem().Size()) && a.Type.Elem.Kind != typeenc.Void {
		return fmt.Errorf("elements of %v have %d bytes, want %d", v.Type(), v.Type().Elem().Size(), size)
	}
	want := sliceBytes(v)
	got, err := objcsoft.ReadMemory(a.Words[0], uint64(len(want)))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%x arrived, want %x", got, want)
	}
	return c.writeBack(a, v)
}

// writeBack writes to the memory behind a pointer that is not const, to be found in the Go value
// afterwards.
func (c *invocation) writeBack(a recording.Arg, v reflect.Value) error {
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
		var got []byte
		if v.Kind() == reflect.Slice {
			got = sliceBytes(v)
		} else {
			got = imageBytes(v)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("memory written by the method reads %x, want %x", got, want)
		}
		return nil
	})
	return objcsoft.WriteMemory(a.Words[0], want)
}
