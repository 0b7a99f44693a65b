package translate_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/translate"
)

// TestCorpus compiles the .cl and .cu files below the folders that PUREMETAL_KERNELS lists, each as
// NAME=VALUE words may define macros for it, and reports how many are accepted. It fails for none:
// public code is not ours to change. It fails for a kernel whose text does something else than the
// kernel that is compiled directly, with the same small grids and data; -short leaves that out. A
// .cu file without a kernel does not count. One that is a part
// of others, which include it, is accepted if one of them is, or if it is by itself.
// PUREMETAL_FP64=float makes double float. PUREMETAL_MACROS names a file of macros for some of the
// files: a pattern of path.Match for the end of a path, and NAME=VALUE, a line each.
//
//	PUREMETAL_KERNELS=folder PUREMETAL_DEFINES="BLOCK=16 TYPE=float" \
//		go test -run TestCorpus -v ./internal/msl/translate
func TestCorpus(t *testing.T) {
	root := os.Getenv("PUREMETAL_KERNELS")
	if root == "" {
		t.Skip("PUREMETAL_KERNELS names no folder of programs")
	}
	defines := map[string]string{}
	for _, d := range strings.Fields(os.Getenv("PUREMETAL_DEFINES")) {
		name, v, _ := strings.Cut(d, "=")
		defines[name] = v
	}
	var macros []struct{ pattern, name, value string }
	if name := os.Getenv("PUREMETAL_MACROS"); name != "" {
		list, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, l := range strings.Split(string(list), "\n") {
			if pattern, macro, ok := strings.Cut(l, " "); ok {
				name, v, _ := strings.Cut(macro, "=")
				macros = append(macros, struct{ pattern, name, value string }{pattern, name, v})
			}
		}
	}
	type outcome struct {
		counts, ok bool
		why        string
		codes      []diag.Code
	}
	var counts tally
	files := map[string]*outcome{}
	includes := map[string]map[string]bool{} // the programs that include a file
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || dialect.OfFile(name) == nil || d.IsDir() || strings.HasSuffix(name, ".cuh") {
			return err
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		of, with := dialect.OfFile(name), maps.Clone(defines)
		for _, m := range macros {
			end := rel
			for range strings.Count(rel, "/") - strings.Count(m.pattern, "/") {
				_, end, _ = strings.Cut(end, "/")
			}
			if ok, err := path.Match(m.pattern, end); ok {
				with[m.name] = m.value
			} else {
				require.NoError(t, err)
			}
		}
		if os.Getenv("PUREMETAL_FP64") == "float" {
			maps.Copy(with, of.FloatMacros())
		}
		dirs := []string{".", path.Dir(rel), path.Dir(path.Dir(rel))}
		for _, d := range strings.Fields(os.Getenv("PUREMETAL_INCLUDE")) {
			dirs = append(dirs, d, path.Join(path.Dir(rel), d))
		}
		options := msl.Options{Dialect: of, Include: os.DirFS(root), IncludeDirs: dirs, Defines: with}
		m, diags := msl.Compile(context.Background(), msl.Source{Name: rel, Text: string(text)}, options)
		var without string // kernels that no launch selects
		for _, d := range diags {
			if d.Code == diag.DialectInstance {
				without += fmt.Sprintf("  %s: %s\n", m.Files.Position(d.Pos), d.Message)
			}
		}
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
		o := &outcome{counts: !of.HostCode || strings.Contains(string(text), "__global__"), ok: len(diags) == 0}
		files[rel] = o
		if o.ok {
			counts.add(t, msl.Source{Name: rel, Text: string(text)}, options)
		}
		if o.ok && of.HostCode && len(m.Kernels) == 0 {
			o.ok, o.why = false, "no kernels in "+rel+"\n"+without
		}
		for _, d := range diags {
			o.codes = append(o.codes, d.Code)
		}
		if len(diags) > 0 {
			var b strings.Builder
			require.NoError(t, diag.Text(&b, m.Files, diags[:1]))
			o.why = fmt.Sprintf("%d errors in %s", len(diags), b.String())
		}
		for _, line := range strings.Split(string(text), "\n") {
			if _, part, ok := strings.Cut(line, "#include"); ok {
				part = strings.TrimLeft(part, " \t\"<")
				if end := strings.IndexAny(part, "\">"); end >= 0 {
					part = part[:end]
				}
				part = path.Join(path.Dir(rel), part)
				if includes[part] == nil {
					includes[part] = map[string]bool{}
				}
				includes[part][rel] = true
			}
		}
		return nil
	}))
	accepted, all := 0, 0
	codes := map[diag.Code]int{}
	for _, rel := range slices.Sorted(maps.Keys(files)) {
		o := files[rel]
		if !o.counts {
			continue
		}
		all++
		for in := range includes[rel] {
			o.ok = o.ok || files[in].ok
		}
		if o.ok {
			accepted++
			continue
		}
		for _, c := range o.codes {
			codes[c]++
		}
		t.Log(o.why)
		for in := range includes[rel] {
			t.Log("included: ", files[in].why)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(codes)) {
		t.Logf("%5d %s", codes[c], c)
	}
	t.Logf("%d of %d files accepted; %d of %d have a text; of %d kernels %d are equal, %d differ, %d fail",
		accepted, all, counts.texts, counts.files, counts.kernels, counts.equal, counts.differing, counts.ended)
}

// tally counts texts, and the kernels that give the same directly and by their texts.
type tally struct {
	files, texts, kernels, equal, differing, ended int
}

// add translates a program that is accepted, compares its kernels if there is a text, and says why
// not.
func (n *tally) add(t *testing.T, src msl.Source, options msl.Options) {
	n.files++
	options.Logging = true
	r, err := translate.Translate(t.Context(), src, translate.Options{Compile: options, Direct: true})
	show := func() { // to look at
		if dir := os.Getenv("PUREMETAL_TEXTS"); dir != "" {
			out := filepath.Join(dir, strings.ReplaceAll(src.Name, "/", "_")+".metal")
			require.NoError(t, os.WriteFile(out, []byte(r.Text), 0o666))
		}
	}
	switch {
	case err != nil:
		t.Logf("%s: %v", src.Name, err)
		show()
		return
	case len(r.Refused) > 0:
		t.Logf("%s: %s", src.Name, r.Refused[0].Reason)
		return
	}
	n.texts++
	if len(r.Kernels) != len(r.Direct.Kernels) {
		t.Errorf("%s: %d kernels by the text, %d directly", src.Name, len(r.Kernels), len(r.Direct.Kernels))
	}
	if testing.Short() {
		return
	}
	for _, k := range r.Kernels {
		n.kernels++
		switch whole, why, ended := differs(r, k, shapes, 1<<24); {
		case why != "":
			n.differing++
			t.Errorf("%s: %s: %s", src.Name, k.Name, why)
			show()
		case whole > 0:
			n.equal++
		default:
			n.ended++
			t.Logf("%s: %s: every launch ends: %v", src.Name, k.Name, ended)
		}
	}
}
