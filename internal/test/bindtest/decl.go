package bindtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/typeenc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scalars are the Go types of C types that have names of their own.
var scalars = map[string]string{
	"void": "", "BOOL": "bool", "_Bool": "bool", "bool": "bool", "NSUInteger": "uint", "NSInteger": "int",
	"float": "float32", "double": "float64", "CGFloat": "float64", "CFTimeInterval": "float64",
	"NSTimeInterval": "float64", "size_t": "uint", "int": "int32", "unsigned int": "uint32", "uint": "uint32",
	"uint64_t": "uint64", "int64_t": "int64", "uint32_t": "uint32", "int32_t": "int32", "uint16_t": "uint16",
	"int16_t": "int16", "unsigned short": "uint16", "uint8_t": "uint8", "pid_t": "int32",
	"NSString *": "string", "NSURL *": "string", "NSData *": "[]byte", "dispatch_data_t": "[]byte",
	"NSError *": "error", "id": "objc.Object", "NSBundle *": "objc.Object", "NSObject *": "objc.Object",
	"dispatch_queue_t": "objc.Object", "IOSurfaceRef": "uintptr",
}

var (
	declProtocol = regexp.MustCompile(`^(?:id<(\w+)>|NSObject<(\w+)> \*)$`)
	declClass    = regexp.MustCompile(`^(M(?:TL|PS)\w+) \*$`)
	declBatch    = regexp.MustCompile(`^(MPS\w+)Batch \*$`)
	declArray    = regexp.MustCompile(`^NSArray<(.+)> \*$`)
	declMutable  = regexp.MustCompile(`^NSMutableArray<(.+)> \*$`)
	declMap      = regexp.MustCompile(`^NSDictionary<([^<>,]+(?:<\w+>)?), ?(.+)> \*$`)
	declName     = regexp.MustCompile(`^(?:NSRange|M(?:TL|PS)\w+)$`)
	declBlock    = regexp.MustCompile(`^(.+?) ?\(\^\)\((.*)\)$`)
	declCArray   = regexp.MustCompile(`^(?:const )?(.+?) ?\*$`)
)

// goTypeOf returns the Go types that may represent an Objective-C type, or none if this test cannot
// tell.
func (s *source) goTypeOf(decl, recv string) []string {
	if !strings.HasSuffix(decl, "*") {
		decl = strings.TrimPrefix(decl, "const ")
	}
	decl = strings.TrimSpace(strings.NewReplacer("_Nonnull", "", "_Nullable", "", "__kindof ", "").Replace(decl))
	if t, ok := s.b.Scalars[decl]; ok {
		return []string{t}
	}
	if t, ok := scalars[decl]; ok {
		return []string{t}
	}
	wrapped := func(prefix string, inner []string) (list []string) {
		for _, t := range inner {
			list = append(list, prefix+t)
		}
		return list
	}
	named := func(name string) []string {
		if t := s.goType[name]; t != "" {
			return []string{t}
		}
		return []string{s.goName(name)}
	}
	if decl == "instancetype" {
		return []string{recv}
	}
	if m := declBlock.FindStringSubmatch(decl); m != nil {
		return s.goFuncOf(m[1], m[2])
	}
	if m := declProtocol.FindStringSubmatch(decl); m != nil {
		return named(m[1] + m[2])
	}
	if m := declBatch.FindStringSubmatch(decl); m != nil {
		return wrapped("[]", named(m[1]))
	}
	if m := declClass.FindStringSubmatch(decl); m != nil &&
		(s.goType[m[1]] != "" || strings.Contains(s.goName(m[1]), ".")) {
		return named(m[1])
	}
	if m := declArray.FindStringSubmatch(decl); m != nil {
		if m[1] == "NSNumber *" {
			return []string{"[]int"}
		}
		return wrapped("[]", s.goTypeOf(m[1], recv))
	}
	if m := declMutable.FindStringSubmatch(decl); m != nil {
		return wrapped("*[]", s.goTypeOf(m[1], recv))
	}
	if m := declMap.FindStringSubmatch(decl); m != nil {
		key := s.goTypeOf(m[1], recv)
		if m[2] == "NSObject *" {
			return []string{"map[string]string"}
		}
		if len(key) != 1 {
			return nil
		}
		return wrapped("map["+key[0]+"]", s.goTypeOf(m[2], recv))
	}
	if declName.MatchString(decl) {
		return []string{s.goName(decl)}
	}
	if m := declCArray.FindStringSubmatch(decl); m != nil {
		if m[1] == "void" {
			return []string{"uintptr", "[]byte"}
		}
		elem := s.goTypeOf(m[1], recv)
		return append(wrapped("[]", elem), append(wrapped("*", elem), elem...)...)
	}
	return nil
}

// goFuncOf returns the Go type of a block.
func (s *source) goFuncOf(ret, params string) []string {
	var in []string
	depth, from := 0, 0
	for i := 0; i <= len(params); i++ {
		switch {
		case i == len(params) || params[i] == ',' && depth == 0:
			if p := strings.TrimSpace(params[from:i]); p != "" && p != "void" {
				t := s.goTypeOf(p, "")
				if p == "void *" {
					t = []string{"uintptr"}
				}
				if len(t) == 0 {
					return nil
				}
				in = append(in, t[0])
			}
			from = i + 1
		case params[i] == '<' || params[i] == '(':
			depth++
		case params[i] == '>' || params[i] == ')':
			depth--
		}
	}
	t := "func(" + strings.Join(in, ", ") + ")"
	out := s.goTypeOf(ret, "")
	switch {
	case len(out) == 0:
		return nil
	case out[0] != "":
		t += " " + out[0]
	}
	return []string{t}
}

// declarationsTest: the Go types match the declaration, and each type has one encoding.
func declarationsTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	params, unknown := 0, map[string]int{}
	letters := map[string]map[string]bool{} // encodings by declared type
	note := func(decl string, e typeenc.Type) {
		if letters[decl] == nil {
			letters[decl] = map[string]bool{}
		}
		letters[decl][e.String()] = true
	}
	for _, f := range r.src.funcs {
		if f.table != "zmethods" {
			continue
		}
		if f.decl == nil {
			t.Errorf("%s: %v has no declaration", f.at, f)
			continue
		}
		c, err := r.prepareDecl(f)
		require.NoError(t, err, "%v", f)
		check := func(what, decl, got string) {
			want := r.src.goTypeOf(decl, f.resultOwner())
			if want == nil {
				unknown[decl]++
				return
			}
			params++
			if !slices.Contains(want, got) {
				t.Errorf("%s: %v: %s is %s in Go, declared %s", f.at, f, what, got, decl)
			}
		}
		for i, p := range c.plan {
			note(f.decl.types[i], c.sig[i])
			if p >= 0 {
				check(fmt.Sprintf("parameter %d", i), f.decl.types[i], f.params[p])
			}
		}
		note(f.decl.ret, c.ret)
		results := f.results
		if n := len(results); n > 0 && results[n-1] == "error" && f.decl.ret != "NSError *" {
			results = results[:n-1]
		}
		if len(results) > 0 && c.ret.Kind != typeenc.Void && f.decl.ret != "id" {
			switch got := results[0]; {
			case got == "objc.Block": // compared as a parameter of the setter
			case got == "uintptr" && c.ret.Kind == typeenc.Pointer: // memory of the object's
			default:
				check("result", f.decl.ret, got)
			}
		}
	}
	for decl, encs := range letters {
		assert.Len(t, encs, 1, "%s has encodings %v", decl, encs)
	}
	t.Logf("%d parameters and results compared, %d types declared", params, len(letters))
	assert.Empty(t, unknown, "declared types that this test has no opinion on")
}

// resultOwner is the Go type that instancetype means.
func (f *goFunc) resultOwner() string {
	if f.recv != "" || len(f.results) == 0 {
		return f.recv
	}
	return f.results[0]
}

// prepareDecl is prepare with an object that is released at once, since only types are examined.
func (r *Recorder) prepareDecl(f *goFunc) (*invocation, error) {
	if f.recv == "" {
		return r.prepare(f, 0, 0)
	}
	id := r.object(f.recv)
	defer r.Release(id)
	return r.prepare(f, id, 0)
}

// commentsTest: the version, encoding and ownership in a comment match the table.
func commentsTest(t *testing.T, b *Bindings) {
	b.prepare()
	src, err := b.readSource()
	require.NoError(t, err)
	n := 0
	for _, f := range src.funcs {
		if f.table != "zmethods" || !assert.Equal(t, 1, f.entries, "%v", f) {
			continue
		}
		m := &b.Methods[src.index[f.entry]]
		n++
		if m.Class != "NSObject" {
			since := fmt.Sprintf("Since %v.", m.Since)
			if m.Since == 0 {
				since = "Availability unknown."
			}
			assert.Contains(t, f.doc, since, "%s: %v", f.at, f)
		}
		assert.Contains(t, f.doc, "Type encoding "+m.Encoding+".", "%s: %v", f.at, f)
		object := len(f.results) > 0 && src.classes[f.results[0]] != nil
		if object {
			assert.Equal(t, m.Retained, strings.Contains(f.doc, "esult is +1"), "%s: %v: retained", f.at, f)
			assert.Equal(t, !m.Retained, strings.Contains(f.doc, "The result is +0"), "%s: %v: not retained", f.at, f)
		}
		if class := src.classes[f.recv]; class != nil && m.Class != "NSObject" {
			assert.Equal(t, class.name, m.Class, "%s: %v", f.at, f)
			assert.Equal(t, class.protocol, m.Protocol, "%s: %v", f.at, f)
		}
	}
	t.Logf("%d comments", n)
}
