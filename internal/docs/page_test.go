package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(b)
}

// block is a fenced block of a page, and the mark in the line before it: an HTML comment, which
// readers do not see.
type block struct {
	mark       string // "code: examples/saxpy/main.go"
	language   string
	text       string
	begin, end int // of the text, in the page
}

// blocks returns the fenced blocks of a page.
func blocks(page string) (out []block) {
	fence := regexp.MustCompile("(?m)(?:^<!-- (.*) -->\n)?^```(\\w*)\n((?s:.*?))^```$")
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		b := block{language: page[m[4]:m[5]], text: page[m[6]:m[7]], begin: m[6], end: m[7]}
		if m[2] >= 0 {
			b.mark = page[m[2]:m[3]]
		}
		out = append(out, b)
	}
	return out
}

// marked returns the blocks whose mark is of a kind, and the rest of each mark.
func marked(page, kind string) (out []block, what []string) {
	for _, b := range blocks(page) {
		if rest, ok := strings.CutPrefix(b.mark, kind+": "); ok {
			out, what = append(out, b), append(what, rest)
		}
	}
	return out, what
}

// rows returns the rows of the table after a mark, and fails unless it has as many columns.
func rows(t *testing.T, page, mark string, columns int) (out [][]string) {
	t.Helper()
	table := regexp.MustCompile(`(?m)^<!-- ` + regexp.QuoteMeta(mark) + ` -->\n((?:\|.*\n)+)`).FindStringSubmatch(page)
	require.NotNil(t, table, "no table %q", mark)
	for i, line := range strings.Split(strings.TrimSpace(table[1]), "\n") {
		if i < 2 { // the heads and a line
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		require.Len(t, cells, columns, "%s", line)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, cells)
	}
	return out
}

// same checks that every marked block of a page is what source returns. PUREMETAL_UPDATE=1 updates
// the page.
func same(t *testing.T, name, kind string, source func(what string) string) int {
	t.Helper()
	page := read(t, name)
	found, what := marked(page, kind)
	update := os.Getenv("PUREMETAL_UPDATE") != ""
	for i := len(found) - 1; i >= 0; i-- {
		want := source(what[i])
		if update {
			page = page[:found[i].begin] + want + page[found[i].end:]
			continue
		}
		assert.Equal(t, want, found[i].text, "%s: the block of %s; PUREMETAL_UPDATE=1 puts it right", name, what[i])
	}
	if update {
		require.NoError(t, os.WriteFile(filepath.Join("..", "..", name), []byte(page), 0o666))
	}
	return len(found)
}

func TestBlocks(t *testing.T) {
	page := "a\n<!-- code: x.go -->\n```go\nb\n```\n\n```sh\nc\nd\n```\n"
	var got []string
	for _, b := range blocks(page) {
		got = append(got, fmt.Sprintf("%s|%s|%s", b.mark, b.language, b.text))
	}
	assert.Equal(t, []string{"code: x.go|go|b\n", "|sh|c\nd\n"}, got)
}

// pages are what newcomers read.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	require.NoError(t, err)
	out := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
	for _, n := range names {
		out = append(out, "docs/"+filepath.Base(n))
	}
	return out
}

// TestLinks: every link to a file of the repository leads to one, and every link to a heading to a
// heading.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, name := range pages(t) {
		prose := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(read(t, name), "")
		prose = regexp.MustCompile("`[^`\n]*`").ReplaceAllString(prose, "") // code has no links, but lambdas look like one
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			to, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			at := filepath.ToSlash(filepath.Join(filepath.Dir(name), to))
			if to == "" {
				at = name
			}
			info, err := os.Stat(filepath.Join("..", "..", at))
			if !assert.NoError(t, err, "%s links to %s", name, m[1]) || heading == "" || info.IsDir() {
				continue
			}
			assert.Contains(t, anchors(read(t, at)), heading, "%s links to %s", name, m[1])
		}
	}
}

// anchors are the headings of a page as links name them.
func anchors(page string) (out []string) {
	drop := regexp.MustCompile(`[^\w\- ]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		out = append(out, strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}
