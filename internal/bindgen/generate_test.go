package bindgen

import (
	"bytes"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var smallConfig = &Config{Package: "small", Framework: "Small", Prefix: "TS", Kit: "macos/small", Decl: "decl"}

func generateSmall(t *testing.T, inputs fs.FS) (*Result, error) {
	t.Helper()
	return Generate(smallConfig, os.DirFS("testdata/small/kit"), inputs)
}

// TestGolden generates a small framework that has each form once. PUREMETAL_UPDATE=1 rewrites the
// goldens.
func TestGolden(t *testing.T) {
	r, err := generateSmall(t, os.DirFS("testdata/small/inputs"))
	require.NoError(t, err)
	for name, src := range r.Files {
		path := filepath.Join("testdata", "small", "want", name)
		if os.Getenv("PUREMETAL_UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, src, 0o666))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err, "run with PUREMETAL_UPDATE=1 and read the difference")
		assert.Equal(t, string(toUnix(want)), string(src), name)
	}
	stale, err := r.Stale("testdata/small/want")
	require.NoError(t, err)
	assert.Empty(t, stale)
	assert.Equal(t, []string{
		"-[TSEngine powerLevel]: darwinkit has -(NSUInteger)powerLevel, declared is -(uint64_t)powerLevel",
		"-[TSEngine extra]: in darwinkit only, bound without availability",
		"-[TSEngine setParts:withRange:]: in darwinkit only and not precise, left out: parameter parts is unsafe.Pointer",
		"TSUnknown: enumeration in darwinkit only, left out",
	}, sorted(r.Log, "-[TSEngine powerLevel]", "-[TSEngine extra]", "-[TSEngine setParts", "TSUnknown"))
}

// sorted returns the lines that begin with each of the prefixes, in the order of the prefixes.
func sorted(lines []string, prefixes ...string) []string {
	var out []string
	for _, p := range prefixes {
		for _, l := range lines {
			if strings.HasPrefix(l, p) {
				out = append(out, l)
			}
		}
	}
	return out
}

// TestGenerateRefuses: inputs that contradict themselves end in an error that names the culprit.
func TestGenerateRefuses(t *testing.T) {
	for name, c := range map[string]struct{ decl, overrides, want string }{
		"override that matches nothing": {"", "[[method]]\nclass = \"TSNone\"\nselector = \"x\"\nreason = \"r\"\n",
			"-[TSNone x]: matches nothing"},
		"unknown type":  {"protocol TSA : NSObject { - (TSNowhere)a; }", "", "TSNowhere"},
		"types nowhere": {"protocol TSA : NSObject { - a; }", "", "-[TSA a]: declared without types and not in darwinkit"},
		"loose types":   {"protocol TSEngine : NSObject { - setParts:withRange:; }", "", "parameter parts is unsafe.Pointer"},
		"two names":     {"protocol TSA : NSObject {}\nprotocol TSA : NSObject {}", "", "TSA is declared twice"},
		"one Go name": {"protocol TSA : NSObject {}\nenum TSAFrom : NSUInteger { TSX = 1 }", "",
			"would both be called AFrom"},
		"rename taken": {"protocol TSA : NSObject { - (void)a; - (void)b; }",
			"[[method]]\nclass = \"TSA\"\nselector = \"b\"\nrename = \"ID\"\nreason = \"r\"\n", "no Go name is left for b"},
		"second error result": {"protocol TSA : NSObject { - (BOOL)run:(NSError **)error; }",
			"[[method]]\nclass = \"TSA\"\nselector = \"run:\"\nerror = true\nreason = \"r\"\n",
			"-[TSA run:]: overrides.toml gives it an error result, which it has already"},
		"empty enumeration": {"enum TSE : NSUInteger;", "", "TSE has no members"},
	} {
		t.Run(name, func(t *testing.T) {
			in := fstest.MapFS{
				"decl/a.decl":         {Data: []byte("framework Small;\n" + c.decl)},
				"decl/overrides.toml": {Data: []byte(c.overrides)},
			}
			r, err := generateSmall(t, in)
			if name == "unknown type" && err == nil { // a type that is not declared keeps its method out, by name
				require.Len(t, r.Skipped, 1)
				assert.Contains(t, r.Skipped[0].Reason, c.want)
				return
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func generateMetal(t *testing.T) *Result { return generatePackage(t, "mtl") }

func generatePackage(t *testing.T, pkg string) *Result {
	t.Helper()
	dir, err := KitDir(".")
	if err != nil {
		t.Skipf("darwinkit is not in the module cache: %v", err)
	}
	cfg, err := ConfigFor(pkg)
	require.NoError(t, err)
	r, err := Generate(cfg, os.DirFS(dir), Inputs())
	require.NoError(t, err)
	return r
}

// TestCurrent: the committed bindings are what the generator makes, twice the same.
func TestCurrent(t *testing.T) {
	r := generateMetal(t)
	stale, err := r.Stale(filepath.Join("..", "..", "mtl"))
	require.NoError(t, err)
	assert.Empty(t, stale, "run go generate ./mtl")
	stale, err = r.Software().Stale(filepath.Join("..", "softmetal", "metal"))
	require.NoError(t, err)
	assert.Empty(t, stale, "run go generate ./mtl")
	again := generateMetal(t)
	assert.Equal(t, r.Soft, again.Soft, "the software device's files differ between two runs")
	for name, src := range r.Files {
		assert.True(t, bytes.Equal(src, again.Files[name]), "%s differs between two runs", name)
		if strings.HasSuffix(name, ".go") {
			f, err := format.Source(src)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(src, f), "%s is not formatted", name)
			assert.NotContains(t, string(src), `"unsafe"`, name)
		}
	}
}

// TestCurrentPackages is [TestCurrent] for the packages without a part for the software device.
func TestCurrentPackages(t *testing.T) {
	for _, cfg := range Configs {
		if cfg.Soft != "" {
			continue
		}
		r := generatePackage(t, cfg.Package)
		stale, err := r.Stale(filepath.Join("..", "..", cfg.Dir()))
		require.NoError(t, err)
		assert.Empty(t, stale, "run go generate ./%s", cfg.Dir())
	}
}

// TestSkippedHaveReasons: what is left out says why.
func TestSkippedHaveReasons(t *testing.T) {
	for _, cfg := range Configs {
		for _, s := range generatePackage(t, cfg.Package).Skipped {
			assert.NotEmpty(t, s.Reason, s.Name)
			assert.NotContains(t, s.Reason, "is not declared", "%s: a type is missing from the declarations", s.Name)
			assert.NotContains(t, s.Reason, "override", s.Name)
		}
	}
}

func TestWriteRemovesOrphans(t *testing.T) {
	dir := t.TempDir()
	r := &Result{Files: map[string][]byte{"za.go": []byte(header)}}
	old, hand := filepath.Join(dir, "zold.go"), filepath.Join(dir, "zebra.go")
	require.NoError(t, os.WriteFile(old, []byte(header), 0o666))
	require.NoError(t, os.WriteFile(hand, []byte("package mtl\n"), 0o666))
	stale, err := r.Stale(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"za.go (missing)", "zold.go (no longer generated)"}, stale)
	require.NoError(t, r.Write(dir))
	assert.NoFileExists(t, old)
	assert.FileExists(t, hand)
	stale, err = r.Stale(dir)
	require.NoError(t, err)
	assert.Empty(t, stale)
}
