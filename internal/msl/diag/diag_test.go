package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/sarif"
	"github.com/puremetal/puremetal/internal/test/sariftest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPositions(t *testing.T) {
	fs := NewFileSet()
	a := fs.AddFile("a", "one\ntwo\r\n\nfour")
	b := fs.AddIncluded("b", "", a.Pos(4))
	c := fs.AddFile("c", "x\n")
	assert.Equal(t, []*File{a, b, c}, fs.Files())
	for offset, want := range map[int]string{0: "a:1:1", 3: "a:1:4", 4: "a:2:1", 9: "a:3:1", 10: "a:4:1", 14: "a:4:5"} {
		p := a.Pos(offset)
		assert.Equal(t, want, fs.Position(p).String())
		assert.Equal(t, offset, a.Offset(p))
		assert.Same(t, a, fs.File(p))
	}
	assert.Equal(t, "b:1:1", fs.Position(b.Pos(0)).String())
	assert.Equal(t, "c:2:1", fs.Position(c.End()).String())
	assert.Equal(t, []string{"", "one", "two", "", "four", ""},
		[]string{a.Line(0), a.Line(1), a.Line(2), a.Line(3), a.Line(4), a.Line(5)})
	assert.Equal(t, 4, a.LineCount())
	assert.False(t, NoPos.IsValid())
	assert.False(t, fs.Position(NoPos).IsValid())
	assert.Nil(t, fs.File(NoPos))
	assert.Equal(t, "-", Position{}.String())
	assert.Equal(t, "x", Position{File: "x"}.String())
	assert.True(t, a.Contains(a.End()) && !a.Contains(b.Pos(0)) && !a.Contains(NoPos))

	a.SetLine(4, 100, "z")
	a.SetLine(9, 7, "")
	assert.Equal(t, "a:1:2", fs.Position(a.Pos(1)).String())
	assert.Equal(t, "z:100:3", fs.Position(a.Pos(6)).String())
	assert.Equal(t, "z:8:1", fs.Position(a.Pos(10)).String())
	assert.Equal(t, "a:4:1", a.Physical(10).String())
}

func TestRoom(t *testing.T) {
	fs := NewFileSet()
	room := fs.Room()
	fs.AddFile("a", "xyz")
	assert.Equal(t, room-4, fs.Room())
	fs.next = MaxText - 6
	f := fs.AddFile("b", "0123456789")
	assert.Equal(t, "0123", f.Text, "cut off")
	assert.True(t, f.Cut)
	assert.LessOrEqual(t, fs.Room(), 0)
	assert.Empty(t, fs.AddFile("c", "x").Text)
}

func TestExpansions(t *testing.T) {
	fs := NewFileSet()
	f := fs.AddFile("a", "#define M(x) x + y\nM(z)\n")
	// The + of M, then M's argument z, then a token from a macro within M's argument.
	id := fs.NewExpansion("M", f.Pos(8), f.Pos(19))
	plus := fs.ExpansionPos(id, f.Pos(15), false)
	z := fs.ExpansionPos(id, f.Pos(21), true)
	inner := fs.ExpansionPos(fs.NewExpansion("N", NoPos, z), f.Pos(17), false)
	assert.True(t, plus.InMacro() && plus.IsValid())
	for p, want := range map[Pos][2]int{plus: {19, 15}, z: {21, 21}, inner: {21, 17}, f.Pos(3): {3, 3}} {
		assert.Equal(t, want, [2]int{f.Offset(fs.Resolve(p)), f.Offset(fs.Spelled(p))})
	}
	assert.Equal(t, []ExpansionStep{{"M", f.Pos(15)}}, fs.ExpansionSteps(plus))
	assert.Equal(t, []ExpansionStep{{"N", f.Pos(17)}, {"M", f.Pos(8)}}, fs.ExpansionSteps(inner))
	assert.Empty(t, fs.ExpansionSteps(f.Pos(1)))
	p, q := fs.AddExpansion("A", f.Pos(1), f.Pos(2)), fs.AddExpansion("A", f.Pos(1), f.Pos(3))
	assert.Equal(t, f.Pos(1), fs.Resolve(q))
	assert.NotEqual(t, p, q)
	assert.Len(t, fs.expansions, 3, "one use, one record")
}

func TestSink(t *testing.T) {
	s := NewSinkLimit(3)
	s.Errorf("E1", 1, 2, "first %d", 1)
	s.Errorf("E1", 1, 2, "again")
	s.Errorf("E2", 1, 2, "another code")
	s.Warnf("E1", 5, 6, "a warning")
	s.Errorf("E1", 7, 8, "third")
	assert.False(t, s.Full())
	for i := range Pos(5) {
		s.Errorf("E1", 10+i, NoPos, "more")
	}
	assert.True(t, s.Full())
	var got []string
	for _, d := range s.Diagnostics() {
		got = append(got, fmt.Sprint(d.Severity, " ", d.Message))
	}
	assert.Equal(t, []string{"error first 1", "error another code", "warning a warning", "error third",
		"error too many errors: stopped after 3"}, got)
	assert.Equal(t, 4, s.Errors())

	var none *Sink
	none.SetFiles(nil)
	none.Report(Diagnostic{})
	none.Errorf("", 0, 0, "")
	none.Warnf("", 0, 0, "")
	assert.Zero(t, none.Errors())
	assert.Nil(t, none.Diagnostics())
	assert.False(t, none.Full())

	s = NewSinkLimit(0)
	for i := range Pos(1000) {
		s.Errorf("E1", i, NoPos, "")
	}
	assert.Equal(t, 1000, s.Errors())

	fs := NewFileSet()
	f := fs.AddFile("a", "M(x)")
	id := fs.NewExpansion("M", NoPos, f.Pos(0))
	s = NewSink()
	s.SetFiles(fs)
	for range 2 {
		s.Errorf("E1", fs.ExpansionPos(id, f.Pos(2), true), NoPos, "an argument that is used twice")
	}
	assert.Equal(t, 1, s.Errors())
}

// TestCodes checks the invariants of the registry.
func TestCodes(t *testing.T) {
	form := regexp.MustCompile(`^(E\d{4}|[UT]0\d{3})$`)
	seen := make(map[Code]bool)
	for _, info := range Codes() {
		assert.Regexp(t, form, string(info.Code))
		assert.False(t, seen[info.Code], "code %s stands twice", info.Code)
		seen[info.Code] = true
		assert.NotEmpty(t, info.Doc, info.Code)
		assert.NotContains(t, info.Doc, "\n", info.Code)
		assert.False(t, strings.HasSuffix(info.Doc, "."), info.Code)
		found, ok := Lookup(info.Code)
		assert.True(t, ok)
		assert.Equal(t, info, found)
	}
	_, ok := Lookup("E9999")
	assert.False(t, ok)
	for _, area := range []struct {
		codes []Info
		forms string
	}{
		{generalCodes, `^E00`}, {scannerCodes, `^E01`}, {ppCodes, `^E02`}, {parseCodes, `^(E03|U0)`},
		{typesCodes, `^(E1|U0)`}, {checkCodes, `^(E1|U0)`},
		{lowerCodes, `^(E2|U0)`}, {unsupportedCodes, `^U0`},
	} {
		for _, info := range area.codes {
			assert.Regexp(t, area.forms, string(info.Code))
		}
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"threadgroup_barrier", "simd_sum", "simd_max", "float4", "float3", "clamp", "x"}
	for name, want := range map[string]string{
		"threadgroup_barier": "threadgroup_barrier", "treadgroup_barirer": "threadgroup_barrier", "simd_smu": "simd_sum",
		"simdsum": "simd_sum",
		"flaot4":  "float4", "float5": "float3", "clmap": "clamp", "Clamp": "clamp", "y": "", "simd_sum": "simd_max",
		"zebra": "", "": "", strings.Repeat("a", 300): "",
	} {
		assert.Equal(t, want, Suggest(name, slices.Values(names)), name)
	}
	assert.Equal(t, "float4", Suggest("float44", maps.Keys(map[string]bool{"float4": true})))
	assert.Equal(t, "ab", Suggest("aab", slices.Values([]string{"b", "ab"})))
}

// sample has one of everything that the output formats show.
func sample() (*FileSet, []Diagnostic) {
	fs := NewFileSet()
	f := fs.AddFile("dir/main é.metal",
		"#define BAD(x) x.q +\n\tfloat é = \xffBAD(vec)\tend;\n"+strings.Repeat("long ", 100)+"\n\n")
	h := fs.AddIncluded("lib.h", "half h\u202e;\nconstexpr int n = 1;", f.Pos(3))
	g := fs.AddIncluded("deep.h", "x\ny", h.Pos(5))
	id := fs.NewExpansion("BAD", f.Pos(8), f.Pos(f.LineStart(2)+12))
	at := func(line, column int) Pos { return f.Pos(f.LineStart(line) + column - 1) }
	return fs, []Diagnostic{
		Errorf(BadNumber, at(2, 2), at(2, 7), "wrong type").WithNote(h.Pos(11), h.Pos(20), "declared here").WithNote(NoPos,
			NoPos, "somewhere"),
		Warnf(UnknownDirective, fs.ExpansionPos(id, f.Pos(16), false), NoPos, "no member 'q'"),
		{Code: BadPragma, Severity: Remark, Pos: at(3, 301), End: at(3, 305), Message: "far to the right"},
		{Code: StrayCharacter, Pos: g.Pos(2), End: g.Pos(3), Message: "in an included file",
			Fixes: []Fix{{g.Pos(2), g.Pos(3), "z"}, {g.Pos(2), g.Pos(2), "w"}}},
		Errorf(EmptyChar, f.End(), NoPos, "at the end"),
		Errorf(BadEscape, at(1, 17), at(2, 8), "over two lines"),
		{Message: "nowhere"},
	}
}

func TestText(t *testing.T) {
	fs, list := sample()
	var b strings.Builder
	require.NoError(t, Text(&b, fs, list))
	assert.Equal(t, `dir/main é.metal:2:2: error: wrong type [E0106]
         float é = <FF>BAD(vec)  end;
         ^~~~~
lib.h:2:1: note: declared here
 constexpr int n = 1;
 ^~~~~~~~~
note: somewhere
dir/main é.metal:2:13: warning: no member 'q' [E0203]
         float é = <FF>BAD(vec)  end;
                   ^
dir/main é.metal:1:17: note: in expansion of macro 'BAD'
 #define BAD(x) x.q +
                 ^
dir/main é.metal:3:301: note: far to the right [E0222]
 long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long
                                                                                 ^~~~
in file included from lib.h:1:
in file included from dir/main é.metal:1:
deep.h:2:1: error: in an included file [E0101]
 y
 ^
 z
dir/main é.metal:5:1: error: at the end [E0105]
 ^
dir/main é.metal:1:17: error: over two lines [E0107]
 #define BAD(x) x.q +
                 ^~~~
error: nowhere
`, b.String())
}

func TestJSON(t *testing.T) {
	fs, list := sample()
	var b bytes.Buffer
	require.NoError(t, JSON(&b, fs, list))
	var got struct {
		Diagnostics []struct {
			Code, Severity, Message string
			Place                   *jsonPlace
			Notes                   []struct {
				Message string
				Place   *jsonPlace
			}
			Fixes []jsonFix
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Len(t, got.Diagnostics, len(list))
	d := got.Diagnostics[0]
	assert.Equal(t, "E0106 error wrong type", d.Code+" "+d.Severity+" "+d.Message)
	assert.Equal(t, jsonPlace{"dir/main é.metal", 2, 2, 2, 7}, *d.Place)
	require.Len(t, d.Notes, 2)
	assert.Equal(t, jsonPlace{"lib.h", 2, 1, 2, 10}, *d.Notes[0].Place)
	assert.Nil(t, d.Notes[1].Place)
	assert.Equal(t, "in expansion of macro 'BAD'", got.Diagnostics[1].Notes[0].Message)
	assert.Equal(t, jsonPlace{"dir/main é.metal", 2, 13, 2, 14}, *got.Diagnostics[1].Place)
	assert.Equal(t, "note", got.Diagnostics[2].Severity)
	assert.Equal(t, []jsonFix{{&jsonPlace{"deep.h", 2, 1, 2, 2}, "z"}, {&jsonPlace{"deep.h", 2, 1, 2, 1}, "w"}},
		got.Diagnostics[3].Fixes)
	assert.Equal(t, jsonPlace{"dir/main é.metal", 5, 1, 5, 2}, *got.Diagnostics[4].Place)
	assert.Equal(t, jsonPlace{"dir/main é.metal", 1, 17, 2, 8}, *got.Diagnostics[5].Place)
	assert.Nil(t, got.Diagnostics[6].Place)

	b.Reset()
	require.NoError(t, JSON(&b, fs, nil))
	assert.JSONEq(t, `{"diagnostics": []}`, b.String())
}

func TestSARIF(t *testing.T) {
	region := func(line, column, endLine, endColumn int) sarif.Region {
		return sarif.Region{StartLine: line, StartColumn: column, EndLine: endLine, EndColumn: endColumn}
	}
	fs, list := sample()
	var b bytes.Buffer
	require.NoError(t, SARIF(&b, fs, list))
	var log sarif.Log
	require.NoError(t, json.Unmarshal(b.Bytes(), &log))
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	require.Len(t, run.Results, len(list))
	var rules []string
	for _, r := range run.Tool.Driver.Rules {
		rules = append(rules, r.ID)
		assert.NotEmpty(t, r.ShortDescription.Text)
	}
	assert.Equal(t, []string{"E0106", "E0203", "E0222", "E0101", "E0105", "E0107"}, rules)
	for _, r := range run.Results {
		if r.RuleIndex != nil {
			assert.Equal(t, r.RuleID, rules[*r.RuleIndex])
		}
		assert.NotEmpty(t, r.Message.Text)
	}
	sariftest.Valid(t, b.Bytes())
	first := run.Results[0].Locations[0].Physical
	assert.Equal(t, "dir/main%20%C3%A9.metal", first.Artifact.URI)
	assert.Equal(t, region(2, 2, 2, 7), first.Region)
	assert.Equal(t, region(2, 12, 2, 13), run.Results[1].Locations[0].Physical.Region, "characters, not bytes")
	assert.Equal(t, "warning", run.Results[1].Level)
	assert.Equal(t, region(1, 17, 2, 8), run.Results[5].Locations[0].Physical.Region)
	assert.Nil(t, run.Results[0].Related[1].Physical)
	fix := run.Results[3].Fixes
	require.Len(t, fix, 2)
	assert.Equal(t, sarif.Replacement{Deleted: region(2, 1, 2, 1), Inserted: sarif.Text{Text: "w"}},
		fix[1].Changes[0].Replacements[0])
	assert.Empty(t, run.Results[6].Locations)

	b.Reset()
	require.NoError(t, SARIF(&b, fs, nil))
	assert.Contains(t, b.String(), `"results": []`)
	assert.Contains(t, b.String(), `"rules": []`)
}

// TestSARIFOfMany combines the diagnostics of several compilations into one run with one table of
// rules.
func TestSARIFOfMany(t *testing.T) {
	var b bytes.Buffer
	var all []Found
	total := 0
	for range 3 {
		fs, list := sample()
		all = append(all, Found{fs, list})
		total += len(list)
	}
	require.NoError(t, SARIFOf(&b, all...))
	var log sarif.Log
	require.NoError(t, json.Unmarshal(b.Bytes(), &log))
	require.Len(t, log.Runs, 1)
	assert.Len(t, log.Runs[0].Results, total)
	assert.Len(t, log.Runs[0].Tool.Driver.Rules, 6)
	for _, r := range log.Runs[0].Results {
		if r.RuleIndex != nil {
			assert.Equal(t, r.RuleID, log.Runs[0].Tool.Driver.Rules[*r.RuleIndex].ID)
		}
	}
}

// TestLongChain shows both ends of a long chain of macros, without its middle.
func TestLongChain(t *testing.T) {
	fs := NewFileSet()
	f := fs.AddFile("a", "abc")
	p := f.Pos(0)
	for i := range 100 {
		p = fs.ExpansionPos(fs.NewExpansion(fmt.Sprintf("M%d", i), f.Pos(1), p), f.Pos(2), false)
	}
	var b strings.Builder
	require.NoError(t, Text(&b, fs, []Diagnostic{Errorf(Internal, p, NoPos, "x")}))
	assert.Equal(t, maxSteps, strings.Count(b.String(), "in expansion"))
	assert.Contains(t, b.String(), "'M99'")
	assert.Contains(t, b.String(), "'M0'")
}

func TestLibrarySet(t *testing.T) {
	program, library := NewFileSet(), NewLibrarySet()
	f, l := program.AddFile("a.metal", "one\ntwo"), library.AddFile("<library>", "three\nfour")
	assert.False(t, f.Pos(4).InLibrary())
	assert.True(t, l.Pos(0).InLibrary())
	assert.Equal(t, "<library>:2:1", library.Position(l.Pos(6)).String())
	assert.Nil(t, program.File(l.Pos(6)))
	assert.False(t, program.Position(l.Pos(6)).IsValid())
	assert.Nil(t, library.File(f.Pos(0)))
}

func TestLongIncludes(t *testing.T) {
	fs := NewFileSet()
	f := fs.AddFile("main.metal", "#include \"a.h\"\n")
	for range 20 {
		f = fs.AddIncluded("a.h", "#include \"a.h\"\n", f.Pos(9))
	}
	var b strings.Builder
	require.NoError(t, Text(&b, fs, []Diagnostic{Errorf("E0211", f.Pos(9), NoPos, "too deep")}))
	assert.Equal(t, strings.Repeat("in file included from a.h:1:\n", 4)+"in file included 12 more times:\n"+
		strings.Repeat("in file included from a.h:1:\n",
			3)+"in file included from main.metal:1:\na.h:1:10: error: too deep [E0211]\n #include \"a.h\"\n          ^\n",
		b.String())
}
