package mtl

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

// boundScalars are the Go types of C types that have names of their own.
var boundScalars = map[string]string{
	"void": "", "BOOL": "bool", "NSUInteger": "uint", "NSInteger": "int", "float": "float32", "double": "float64",
	"CFTimeInterval": "float64",
	"NSTimeInterval": "float64", "uint64_t": "uint64", "int64_t": "int64", "uint32_t": "uint32", "int32_t": "int32",
	"uint8_t":       "uint8",
	"kern_return_t": "int32", "task_id_token_t": "uint32", "pid_t": "int32", "size_t": "uint", "MTLTimestamp": "uint64",
	"MTLGPUAddress": "uint64",
	"NSRange":       "Range", "NSString *": "string", "NSURL *": "string", "NSData *": "[]byte",
	"dispatch_data_t": "[]byte", "NSError *": "error",
	"id": "objc.Object", "NSBundle *": "objc.Object", "dispatch_queue_t": "objc.Object", "IOSurfaceRef": "uintptr",
	"MTLAutoreleasedComputePipelineReflection *": "ComputePipelineReflection", "MTLAutoreleasedArgument *": "Argument",

	"MTLCommandBufferHandler": "func(CommandBuffer)", "MTLIOCommandBufferHandler": "func(IOCommandBuffer)",
	"MTL4CommitFeedbackHandler":                                 "func(CommitFeedback4)",
	"MTLNewLibraryCompletionHandler":                            "func(Library, error)",
	"MTLNewDynamicLibraryCompletionHandler":                     "func(DynamicLibrary, error)",
	"MTLNewComputePipelineStateCompletionHandler":               "func(ComputePipelineState, error)",
	"MTLNewComputePipelineStateWithReflectionCompletionHandler": "func(ComputePipelineState, ComputePipelineReflection, error)",
	"MTL4NewBinaryFunctionCompletionHandler":                    "func(BinaryFunction4, error)",
	"MTL4NewMachineLearningPipelineStateCompletionHandler":      "func(MachineLearningPipelineState4, error)",
	"MTLSharedEventNotificationBlock":                           "func(SharedEvent, uint64)",
	"void (^)(void *, NSUInteger)":                              "func(uintptr, uint)",
	"void (^)(id<MTLFunction>, NSError *)":                      "func(Function, error)",
	"void (^)(NSString *, NSString *, MTLLogLevel, NSString *)": "func(string, string, LogLevel, string)",

	"MTLCommonCounterSet": "string", "MTLCommonCounter": "string", "MTLIOCompressionContext": "IOCompressionContext",
}

var (
	boundDeclProtocol = regexp.MustCompile(`^id<(\w+)>$`)
	boundDeclClass    = regexp.MustCompile(`^(MTL\w+) \*$`)
	boundDeclArray    = regexp.MustCompile(`^NSArray<(.+)> \*$`)
	boundDeclMap      = regexp.MustCompile(`^NSDictionary<NSString \*, ?(.+)> \*$`)
	boundDeclName     = regexp.MustCompile(`^MTL\w+$`)
	boundDeclCArray   = regexp.MustCompile(`^(?:const )?(.+?) ?\*$`)
)

// goTypeOf returns the Go types that may represent an Objective-C type, or none if this test cannot
// tell.
func (s *boundSource) goTypeOf(decl, recv string) []string {
	if !strings.HasSuffix(decl, "*") {
		decl = strings.TrimPrefix(decl, "const ")
	}
	decl = strings.TrimSpace(strings.NewReplacer("_Nonnull", "", "_Nullable", "", "__kindof ", "").Replace(decl))
	if t, ok := boundScalars[decl]; ok {
		return []string{t}
	}
	wrapped := func(prefix string, inner []string) (list []string) {
		for _, t := range inner {
			list = append(list, prefix+t)
		}
		return list
	}
	if decl == "instancetype" {
		return []string{recv}
	}
	if m := boundDeclProtocol.FindStringSubmatch(decl); m != nil {
		return []string{s.goType[m[1]]}
	}
	if m := boundDeclClass.FindStringSubmatch(decl); m != nil && s.goType[m[1]] != "" {
		return []string{s.goType[m[1]]}
	}
	if m := boundDeclArray.FindStringSubmatch(decl); m != nil {
		return wrapped("[]", s.goTypeOf(m[1], recv))
	}
	if m := boundDeclMap.FindStringSubmatch(decl); m != nil {
		if m[1] == "NSObject *" {
			return []string{"map[string]string"}
		}
		return wrapped("map[string]", s.goTypeOf(m[1], recv))
	}
	if boundDeclName.MatchString(decl) {
		return []string{boundGoName(decl)}
	}
	if m := boundDeclCArray.FindStringSubmatch(decl); m != nil {
		if m[1] == "void" {
			return []string{"uintptr", "[]byte"}
		}
		return append(wrapped("[]", s.goTypeOf(m[1], recv)), wrapped("*", s.goTypeOf(m[1], recv))...)
	}
	return nil
}

// TestBoundDeclarations: the Go types match the declaration, and each type has one encoding.
func TestBoundDeclarations(t *testing.T) {
	r := newBoundRecorder(t)
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
			check("result", f.decl.ret, results[0])
		}
	}
	for decl, encs := range letters {
		assert.Len(t, encs, 1, "%s has encodings %v", decl, encs)
	}
	t.Logf("%d parameters and results compared, %d types declared", params, len(letters))
	assert.Empty(t, unknown, "declared types that this test has no opinion on")
}

// resultOwner is the Go type that instancetype means.
func (f *boundFunc) resultOwner() string {
	if f.recv != "" || len(f.results) == 0 {
		return f.recv
	}
	return f.results[0]
}

// prepareDecl is prepare with an object that is released at once, since only types are examined.
func (r *boundRecorder) prepareDecl(f *boundFunc) (*boundCall, error) {
	if f.recv == "" {
		return r.prepare(f, 0, 0)
	}
	id := r.object(f.recv)
	defer r.release(id)
	return r.prepare(f, id, 0)
}

// TestBoundComments: the version, encoding and ownership in a comment match the table.
func TestBoundComments(t *testing.T) {
	src, err := readBoundSource()
	require.NoError(t, err)
	n := 0
	for _, f := range src.funcs {
		if f.table != "zmethods" || !assert.Equal(t, 1, f.entries, "%v", f) {
			continue
		}
		m := &zmethods[src.index[f.entry]]
		n++
		if m.Class != "NSObject" {
			assert.Contains(t, f.doc, fmt.Sprintf("Since %v.", m.Since), "%s: %v", f.at, f)
		}
		assert.Contains(t, f.doc, "Type encoding "+m.Encoding+".", "%s: %v", f.at, f)
		object := len(f.results) > 0 && src.classes[f.results[0]] != nil
		if object {
			assert.Equal(t, m.Retained, strings.Contains(f.doc, "+1"), "%s: %v: retained", f.at, f)
			assert.Equal(t, !m.Retained, strings.Contains(f.doc, "The result is +0"), "%s: %v: not retained", f.at, f)
		}
		if class := src.classes[f.recv]; class != nil && m.Class != "NSObject" {
			assert.Equal(t, class.name, m.Class, "%s: %v", f.at, f)
			assert.Equal(t, class.protocol, m.Protocol, "%s: %v", f.at, f)
		}
	}
	t.Logf("%d comments", n)
}
