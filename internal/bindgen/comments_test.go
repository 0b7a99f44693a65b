package bindgen

import (
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestComments reads every generated comment of package mtl for the mistakes that sentences made
// from names can have.
func TestComments(t *testing.T) {
	files, err := filepath.Glob("../../mtl/z*.go")
	require.NoError(t, err)
	checked := 0
	for _, path := range files {
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.HasPrefix(string(toUnix(src)), header) {
			continue
		}
		f, err := goparser.ParseFile(gotoken.NewFileSet(), path, src, goparser.ParseComments|goparser.SkipObjectResolution)
		require.NoError(t, err)
		for _, c := range f.Comments[1:] { // the first is the header
			checked++
			for _, p := range commentProblems(c) {
				t.Errorf("%s: %s", filepath.Base(path), p)
			}
		}
	}
	assert.Greater(t, checked, 2000)
}

// TestCommentProblems: each mistake is found, and correct sentences are not reported.
func TestCommentProblems(t *testing.T) {
	for text, want := range map[string]string{
		"Returns a new command queue4.":              "a digit after the word",
		"Returns the receiver's mtl4 command queue.": "a digit after the word",
		"Returns a new MTL4 command queue.":          "without a name",
		"Returns a a new queue.":                     "twice",
		"Sets a array.":                              "article",
		"Sets an buffer.":                            "article",
		"Wraps a MTLBuffer.":                         "article",
		"Sets the  label.":                           "two spaces",
		"Sets the label .":                           "space before",
		"Sets the label":                             "no period",
		"Sets the label. the rest.":                  "lower case after",
		"An empty groups is passed as nil.":          "plural after an article",
		"Reports whether the receiver is argument.":  "noun without an article",
		"The shortest of parts and ends counts.":     "shortest of two",
		"Returns the receiver's max anisotropy.":     "abbreviation",
		"Reports whether it supports 32 bit floats.": "hyphen",
		"Returns a uint, a URL, an NSUInteger, an MTLBuffer, a [Buffer] or an [Event]. Not x.": "",
		"Has the layout of the C structure MTLSize: 24 bytes, aligned to 8.":                   "",
	} {
		got := commentProblems(&ast.CommentGroup{List: []*ast.Comment{{Text: "// " + text}}})
		if want == "" {
			assert.Empty(t, got)
			continue
		}
		if assert.Len(t, got, 1, text) {
			assert.Contains(t, got[0], want)
		}
	}
}

// commentProblems returns what is wrong with the sentences of a comment. Indented lines are
// declarations, and a type encoding is no sentence.
func commentProblems(c *ast.CommentGroup) (problems []string) {
	for _, paragraph := range strings.Split(c.Text(), "\n\n") {
		if strings.HasPrefix(paragraph, "\t") {
			continue
		}
		text := strings.TrimSpace(strings.ReplaceAll(paragraph, "\n", " "))
		if text, _, _ = strings.Cut(text, " Type encoding "); strings.HasPrefix(text, "Type encoding ") {
			continue
		}
		problems = append(problems, sentenceProblems(text)...)
	}
	return problems
}

var mistakes = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"a digit after the word", regexp.MustCompile(`(?:^|[ (])[a-z]+[0-9]+\b`)},
	{"Metal's prefix without a name", regexp.MustCompile(`\bMTL4?\b`)},
	{"two spaces", regexp.MustCompile(`  `)},
	{"space before punctuation", regexp.MustCompile(` [.,;:]`)},
	{"no period at the end", regexp.MustCompile(`[^.]$`)},
	{"lower case after a period", regexp.MustCompile(`[a-z\])]\. [a-z]`)},
	{"a plural after an article", regexp.MustCompile(`\b[Aa]n? (?:empty |new )?[a-z]\w*[^s\W]s is\b`)},
	{"a noun without an article", regexp.MustCompile(`receiver is (?:argument|depth texture)\b`)},
	{"the shortest of two", regexp.MustCompile(`shortest of \w+ and `)},
	{"an abbreviation", regexp.MustCompile(`\b(?:max|min|mag|coords)\b`)},
	{"a missing hyphen", regexp.MustCompile(`\b[0-9]+ bit\b`)},
}

func sentenceProblems(text string) (problems []string) {
	add := func(what, where string) { problems = append(problems, what+": "+where+": "+text) }
	for _, m := range mistakes {
		if found := m.pattern.FindString(text); found != "" {
			add(m.what, found)
		}
	}
	fields := strings.Fields(text)
	for i, w := range fields[1:] {
		before := fields[i]
		if strings.EqualFold(w, before) {
			add("a word twice", w)
		} else if a := strings.ToLower(before); (a == "a" || a == "an") && a != article(w) {
			add("the wrong article", before+" "+w)
		}
	}
	return problems
}

var soundsLikeYou = regexp.MustCompile(`^(?i:uni|use|usa|uint|one|eu)`)

// article returns the indefinite article of a word. Names in capitals are spelled aloud.
func article(word string) string {
	word = strings.TrimLeft(word, "[(\"")
	switch spelled := len(word) > 1 && word[:2] == strings.ToUpper(word[:2]); {
	case spelled && strings.ContainsRune("AEFHILMNORSX", rune(word[0])):
		return "an"
	case spelled:
		return "a"
	case soundsLikeYou.MatchString(word):
		return "a"
	case strings.ContainsRune("aeiouAEIOU", rune(word[0])):
		return "an"
	}
	return "a"
}
