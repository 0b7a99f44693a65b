//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// table is what this test reads of an ABI table.
type table struct {
	Classes []struct {
		Name    string
		Methods []struct {
			Selector   string
			Encoding   string
			Stack      map[string][][3]int // [parameter, offset, size]
			AMD64Stret bool                `json:"amd64_stret"`
			Special    []special
		}
	}
	Structs   []tableStruct
	Functions []struct{ Name, Encoding string }
}

type special struct {
	At    any // "ret", "..." or a parameter's index
	Kind  string
	Size  int
	ARM64 string
	AMD64 string
}

type tableStruct struct{ Name, Encoding, ARM64, AMD64 string }

// loadTables loads the ABI tables that lie beside the repository in the
// project's own working place, and skips the test elsewhere.
func loadTables(t *testing.T) map[string]*table {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Skip("no go.mod above the test: cannot find the ABI tables")
		}
		dir = filepath.Dir(dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "..", "shared", "abi", "*.json"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no ABI tables in ../shared/abi beside the repository")
	}
	out := map[string]*table{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		var tab table
		require.NoError(t, json.Unmarshal(data, &tab), f)
		out[filepath.Base(f)] = &tab
	}
	return out
}

// passed describes a placement of a struct as the tables do: "gpr:2",
// "hfa:4xdouble", "hva:2x16bytes", "indirect"; "regs:INTEGER,SSE", "memory".
// It looks at a call in which the struct is alone.
func passed(t testing.TB, arch string, ty *typeenc.Type) string {
	t.Helper()
	p, err := NewPlanFor(arch, &typeenc.Signature{Ret: typeenc.Type{Kind: typeenc.Void}, Args: []typeenc.Type{*ty}})
	require.NoError(t, err)
	pl := p.Arg(0)
	var classes []string
	floats := 0
	for _, l := range pl.Locs {
		switch l.Kind {
		case InInt:
			classes = append(classes, "INTEGER")
		case InFloat:
			classes = append(classes, "SSE")
			floats++
		}
	}
	if arch == "amd64" {
		if len(classes) == 0 {
			return "memory"
		}
		return "regs:" + strings.Join(classes, ",")
	}
	switch size := pl.Locs[0].Size; {
	case pl.Indirect:
		return "indirect"
	case floats == 0:
		return fmt.Sprintf("gpr:%d", len(classes))
	case size == 4:
		return fmt.Sprintf("hfa:%dxfloat", floats)
	case size == 8:
		return fmt.Sprintf("hfa:%dxdouble", floats)
	default:
		return fmt.Sprintf("hva:%dx%dbytes", floats, size)
	}
}

// spilled lists what a method's plan puts on the stack as the tables do.
func spilled(p *Plan) [][3]int {
	var out [][3]int
	for i := 2; i < p.NumArgs(); i++ {
		if l := p.Arg(i).Locs[0]; l.Kind == OnStack {
			out = append(out, [3]int{i - 2, l.Index, l.Size})
		}
	}
	return out
}

func TestTables(t *testing.T) {
	for file, tab := range loadTables(t) {
		var methods, stacks, strets, specials, structs int
		for _, c := range tab.Classes {
			for _, m := range c.Methods {
				what := fmt.Sprintf("%s: %s %s %s", file, c.Name, m.Selector, m.Encoding)
				sig, err := typeenc.ParseMethod(m.Encoding)
				require.NoError(t, err, what)
				methods++
				for _, arch := range []string{"amd64", "arm64"} {
					p, err := NewPlanFor(arch, sig)
					if !assert.NoError(t, err, what) {
						continue
					}
					assert.Equal(t, m.Stack[arch], spilled(p), "%s: stack on %s", what, arch)
					stacks += len(m.Stack[arch])
					assert.Equal(t, m.AMD64Stret && arch == "amd64", p.Stret(), "%s: stret on %s", what, arch)
					if p.Stret() {
						strets++
					}
				}
				for _, s := range m.Special {
					ty := &sig.Ret
					if i, ok := s.At.(float64); ok {
						ty = &sig.Args[2+int(i)]
					} else if s.At != "ret" {
						continue // variable arguments: nothing to place
					}
					specials++
					switch s.Kind {
					case "struct":
						assert.Equal(t, s.ARM64, passed(t, "arm64", ty), what)
						assert.Equal(t, s.AMD64, passed(t, "amd64", ty), what)
					case "float":
						assert.Equal(t, "hfa:1xfloat", passed(t, "arm64", ty), what)
						assert.Equal(t, "regs:SSE", passed(t, "amd64", ty), what)
					case "double":
						assert.Equal(t, "hfa:1xdouble", passed(t, "arm64", ty), what)
						assert.Equal(t, "regs:SSE", passed(t, "amd64", ty), what)
					case "vector":
						assert.Equal(t, "hva:1x16bytes", passed(t, "arm64", ty), what)
						assert.Equal(t, "regs:SSE", passed(t, "amd64", ty), what)
					}
				}
			}
		}
		for _, s := range tab.Structs {
			ty, err := typeenc.Parse(s.Encoding)
			require.NoError(t, err, s.Name)
			structs++
			assert.Equal(t, s.ARM64, passed(t, "arm64", &ty), "%s %s", s.Name, s.Encoding)
			assert.Equal(t, s.AMD64, passed(t, "amd64", &ty), "%s %s", s.Name, s.Encoding)
		}
		for _, f := range tab.Functions {
			sig, err := typeenc.ParseFunction(f.Encoding)
			require.NoError(t, err, f.Name)
			for _, arch := range []string{"amd64", "arm64"} {
				_, err = NewPlanFor(arch, sig)
				assert.NoError(t, err, f.Name)
			}
		}
		t.Logf("%s: %d methods, %d stack places, %d stret, %d special types, %d structs, %d functions compared", file,
			methods, stacks, strets, specials, structs, len(tab.Functions))
		assert.NotZero(t, methods)
	}
}
