package typeenc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// table is what this test reads of an ABI table.
type table struct {
	Classes []struct {
		Name    string
		Methods []struct {
			Selector       string
			Encoding       string
			EncodingX86_64 string `json:"encoding_x86_64"`
			Returns        string
			Params         []struct{ Type string }
			Special        []struct {
				At   any
				Kind string
				Size int
			}
		}
	}
	Structs []struct {
		Name     string
		Encoding string
		Size     int
		Align    int
		Fields   []struct {
			Name   string
			Offset int
		}
	}
	Functions []struct {
		Name           string
		Encoding       string
		EncodingX86_64 string `json:"encoding_x86_64"`
	}
	Typedefs []struct {
		Name  string
		Block *struct {
			Encoding string
		}
	}
}

// tables loads the ABI tables that are next to the repository in the project's own workspace, and
// skips the test elsewhere.
func tables(t *testing.T) map[string]*table {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("no go.mod above the test: cannot find the ABI tables")
		}
		dir = parent
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
		require.NoError(t, json.Unmarshal(data, &tab))
		out[filepath.Base(f)] = &tab
	}
	return out
}

func TestTables(t *testing.T) {
	for file, tab := range tables(t) {
		var methods, structs, sizes, cBools int
		forAMD64 := func(what, enc, want string) {
			if want == "" {
				want = enc
			}
			// The table writes out x86_64's va_list, which is a pointer on arm64.
			want = strings.ReplaceAll(want, "[1{__va_list_tag=II^v^v}]", "*")
			assert.Equal(t, want, ForAMD64(enc), "%s: %s", file, what)
		}
		for _, c := range tab.Classes {
			for _, m := range c.Methods {
				what := c.Name + " " + m.Selector
				sig, err := ParseMethod(m.Encoding)
				if !assert.NoError(t, err, what) {
					continue
				}
				methods++
				assert.Len(t, sig.Args, 2+strings.Count(m.Selector, ":"), what)
				cBool := m.Returns == "_Bool"
				for _, p := range m.Params {
					cBool = cBool || p.Type == "_Bool"
				}
				if cBool {
					cBools++ // not BOOL: 'B' on x86_64 too, which the encoding alone does not tell
				} else {
					forAMD64(what, m.Encoding, m.EncodingX86_64)
				}
				for _, s := range m.Special {
					ty := &sig.Ret
					if i, ok := s.At.(float64); ok {
						ty = &sig.Args[2+int(i)]
					} else if s.At != "ret" {
						continue // the variable arguments
					}
					switch s.Kind {
					case "struct":
						assert.Equal(t, s.Size, ty.Size, what)
						assert.True(t, ty.Kind == Struct || ty.Kind == Union, what)
						sizes++
					case "float", "double":
						assert.Equal(t, s.Kind, ty.Kind.String(), what)
					case "vector":
						assert.Equal(t, Vector, ty.Kind, what)
					}
				}
			}
		}
		for _, s := range tab.Structs {
			ty, err := Parse(s.Encoding)
			if !assert.NoError(t, err, s.Name) {
				continue
			}
			structs++
			assert.Equal(t, s.Size, ty.Size, "%s %s", s.Name, s.Encoding)
			assert.Equal(t, s.Align, ty.Align, "%s %s", s.Name, s.Encoding)
			if len(s.Fields) == len(ty.Fields) {
				for i, f := range s.Fields {
					assert.Equal(t, f.Offset, ty.Fields[i].Offset, "%s.%s", s.Name, f.Name)
				}
			}
		}
		for _, f := range tab.Functions {
			_, err := ParseFunction(f.Encoding)
			assert.NoError(t, err, f.Name)
			if f.EncodingX86_64 != "" { // few functions of the tables say
				forAMD64(f.Name, f.Encoding, f.EncodingX86_64)
			}
		}
		for _, d := range tab.Typedefs {
			if d.Block != nil && d.Block.Encoding != "" {
				_, err := ParseBlock(d.Block.Encoding)
				assert.NoError(t, err, d.Name)
			}
		}
		t.Logf("%s: %d methods, %d structs, %d struct arguments and results, %d methods with C's bool", file, methods,
			structs, sizes, cBools)
		assert.NotZero(t, methods)
	}
}
