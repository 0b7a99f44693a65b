package ref_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// caller writes kernels that call library functions.
type caller struct {
	args, decls, body strings.Builder
	textures          int
	locals            int
}

// value returns the source of a value of a type that depends on a buffer, or "" for types it does
// not support.
func (c *caller) value(q types.Qualified, name string) string {
	switch t := q.Type.(type) {
	case *types.Basic:
		return fmt.Sprintf("%s(seed)", t)
	case *types.Vector:
		return fmt.Sprintf("%s(%s(seed))", t, t.Elem)
	case *types.Matrix:
		return fmt.Sprintf("%s(%s(seed))", t, t.Elem)
	case *types.SimdgroupMatrix:
		return fmt.Sprintf("simdgroup_matrix<%s, 8, 8>(%s(seed))", t.Elem, t.Elem)
	case *types.Enum:
		if first := t.Values[0].Name; t.Scoped {
			return t.Name + "::" + first
		} else {
			return first
		}
	case *types.Struct:
		var parts []string
		for _, f := range t.Fields {
			parts = append(parts, c.value(f.Type, ""))
		}
		return t.Name + "(" + strings.Join(parts, ", ") + ")"
	case *types.Opaque:
		if t.Name == "sampler" {
			return "smp"
		}
	case *types.Pointer:
		return c.address(t.Elem)
	case *types.Reference:
		return strings.TrimPrefix(c.address(t.Elem), "&")
	}
	return ""
}

// address returns the source of the address of an object.
func (c *caller) address(q types.Qualified) string {
	switch q.Space {
	case types.Device:
		return fmt.Sprintf("(device %s *)memory", q.Type)
	case types.Threadgroup:
		return fmt.Sprintf("(threadgroup %s *)shared", q.Type)
	case types.Thread:
		c.locals++
		if m, ok := q.Type.(*types.SimdgroupMatrix); ok {
			fmt.Fprintf(&c.decls, "    simdgroup_matrix<%s, 8, 8> local%d;\n", m.Elem, c.locals)
		} else {
			fmt.Fprintf(&c.decls, "    %s local%d = %s;\n", q.Type, c.locals, c.value(types.Q(q.Type), ""))
		}
		return fmt.Sprintf("&local%d", c.locals)
	}
	return ""
}

// call adds a call to the kernel, unless an argument is not supported.
func (c *caller) call(i *builtin.Instance) bool {
	var args []string
	for n, p := range i.Params {
		v := c.value(p, i.Fn.Params[n].Name)
		if v == "" {
			return false
		}
		args = append(args, v)
	}
	callee := i.Fn.Name
	switch recv := i.Recv.(type) {
	case *types.Texture:
		callee = fmt.Sprintf("t%d.%s", c.textures, callee)
		fmt.Fprintf(&c.args, ", %s t%d [[texture(%d)]]", recv, c.textures, c.textures)
		c.textures++
	case nil:
		if i.Fn.Namespace != "" {
			callee = i.Fn.Namespace + "::" + callee
		}
	default:
		v := c.value(types.Q(recv), "")
		if v == "" || i.Fn.Name == "vote_t" || i.Fn.Name == "thread_elements" {
			return false
		}
		callee = v + "." + callee
	}
	if i.Result.Type != types.Type(types.Void) {
		c.locals++
		fmt.Fprintf(&c.body, "    auto r%d = ", c.locals)
	} else {
		c.body.WriteString("    ")
	}
	fmt.Fprintf(&c.body, "%s(%s);\n", callee, strings.Join(args, ", "))
	switch i.Result.Type.(type) {
	case *types.Basic, *types.Vector:
		if i.Result.Type != types.Type(types.Void) { // each thread has resultBytes for each result
			fmt.Fprintf(&c.body, "    *(device %s *)(memory + %d + (tid * LOCALS + %d) * %d) = r%d;\n", i.Result.Type,
				firstResult, c.locals, resultBytes, c.locals)
		}
	}
	return true
}

// Where results are stored: after what functions write themselves.
const (
	firstResult = 1024
	resultBytes = 32
)

func (c *caller) kernel() string {
	return "#include <metal_stdlib>\nusing namespace metal;\n" +
		"kernel void calls(device char *memory [[buffer(0)]], device uchar *n [[buffer(1)]], sampler smp [[sampler(0)]], uint tid [[thread_position_in_grid]]" + c.args.String() + ") {\n" +
		"    threadgroup long shared[64];\n    uchar seed = *n;\n" + c.decls.String() + strings.ReplaceAll(c.body.String(),
		"LOCALS", fmt.Sprint(c.locals+1)) + "}\n"
}

// textureClasses returns textures of a class for method calls.
func textureClasses(u *types.Universe, f *builtin.Func, k types.TextureKind) (out []types.Type) {
	for _, e := range []*types.Basic{types.Float, types.Half, types.UInt, types.Short, types.ULong} {
		for _, a := range []types.Access{types.AccessSample, types.AccessRead, types.AccessWrite, types.AccessReadWrite} {
			if k.TextureElem(e) && (!k.IsDepth() && !k.IsMultisampled() || !a.CanWrite()) {
				if t := u.Texture(k, e, a, false); f.Refuses(t) == "" && (a != types.AccessSample || k.DefaultAccess() == a) {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// TestEveryBuiltin compiles a call of every overload of the library that is not special, and runs
// it on both engines, which must give the same results.
func TestEveryBuiltin(t *testing.T) {
	calls, skipped := 0, map[string]bool{}
	fns := builtin.All()
	for n := range fns {
		f := &fns[n]
		if f.Flags.Has(builtin.Special) || f.Flags.Has(builtin.Unsupported) || f.Op == builtin.OpUnreachable ||
			f.Namespace == "metal::raytracing" ||
			f.Name == "not" { // an operator: programs write !x
			continue
		}
		lib := builtin.New(types.NewUniverse())
		var is []*builtin.Instance
		if k, ok := types.TextureKindOf(f.Recv); ok {
			for _, r := range textureClasses(lib.Universe(), f, k) {
				is = append(is, lib.Methods(r, f.Name)...)
			}
		} else if f.Recv != "" && !f.Flags.Has(builtin.Constructor) {
			if r := lib.Type(f.Recv); r != nil {
				is = lib.Methods(r, f.Name)
			}
		} else {
			is = lib.Instances(f)
		}
		if f.Name == "__puremetal_tile_barrier" { // takes a constant; exectest calls it
			continue
		}
		c := &caller{}
		for _, i := range is {
			if i.Fn != f {
				continue
			}
			if c.textures < 100 && c.call(i) {
				calls++
			} else {
				skipped[f.Recv+"."+f.Name] = true
			}
		}
		if c.body.Len() == 0 {
			skipped[f.Recv+"."+f.Name] = true
			continue
		}
		text := c.kernel()
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "calls", Text: text},
			msl.Options{Verify: true, MetalVersion: 400})
		if !assert.Empty(t, diags, "%s\n%s\n%s", f.Signature(), text, rendered(t, m, diags)) {
			continue
		}
		const threads = 4
		launch := testlaunch.Launch{Grid: [3]int{threads},
			Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, firstResult+threads*resultBytes*(c.locals+1))},
				1: {Data: []byte{1}}}, Textures: map[int]*testlaunch.Texture{}}
		for i, a := range m.IR.Funcs[0].Args {
			if a.Kind == ir.ArgTexture {
				typ, err := ir.ParseType(a.Texture)
				require.NoError(t, err, i)
				format := map[ir.Kind]string{ir.F32: "RGBA8Unorm", ir.F16: "RGBA8Unorm", ir.I32: "R32Uint", ir.I16: "R16Sint",
					ir.I64: "RG32Uint"}[typ.Elem]
				launch.Textures[a.Index] = &testlaunch.Texture{Format: format, Width: 1, Height: 1, Depth: 1, Layers: 6,
					Levels: [][]byte{make([]byte, 48)}}
			}
		}
		plain := exectest.Plain
		plain.Workers = 1 // atomic operations reveal the order of the threadgroups, which have one thread each
		exectest.Run(t, m.IR.Funcs[0], launch, exectest.Quick, plain)
		if t.Failed() {
			t.Fatalf("%s\n%s", f.Signature(), text)
		}
	}
	t.Logf("%d calls; none of %v", calls, skipped)
}
