package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRationale: the page begins with an index of its headings by area, which is complete. A
// comment says which area the headings below it belong to. PUREMETAL_UPDATE=1 makes the index
// again.
func TestRationale(t *testing.T) {
	const name = "docs/RATIONALE.md"
	page := read(t, name)
	before, rest, found := strings.Cut(page, "<!-- index -->\n")
	require.True(t, found)
	_, after, found := strings.Cut(rest, "<!-- end -->\n")
	require.True(t, found)
	made := before + "<!-- index -->\n" + rationaleIndex(t, after) + "<!-- end -->\n" + after
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(filepath.Join("..", "..", name), []byte(made), 0o666))
		return
	}
	require.Equal(t, made, page, "run with PUREMETAL_UPDATE=1")
}

// rationaleIndex returns the headings of a page by area, in the order in which areas come first.
func rationaleIndex(t *testing.T, page string) string {
	var areas []string
	of := map[string][]string{}
	area := ""
	for _, m := range regexp.MustCompile(`(?m)^<!-- area: (.*) -->$|^## (.*)$`).FindAllStringSubmatch(page, -1) {
		if m[1] != "" {
			area = m[1]
			continue
		}
		require.NotEmpty(t, area, "the heading %q has no area", m[2])
		if of[area] == nil {
			areas = append(areas, area)
		}
		of[area] = append(of[area], "| ["+m[2]+"](#"+anchors("## " + m[2] + "\n")[0]+") |\n")
	}
	var b strings.Builder
	for _, a := range areas {
		b.WriteString("\n| " + a + " |\n|---|\n" + strings.Join(of[a], ""))
	}
	return b.String() + "\n"
}

// TestRationaleIndex: headings of an area come together, wherever they are.
func TestRationaleIndex(t *testing.T) {
	page := "<!-- area: A -->\n\n## Why `x`?\n\ntext\n\n<!-- area: B -->\n\n## Why y?\n\n" +
		"<!-- area: A -->\n\n## Why z?\n"
	require.Equal(t, "\n| A |\n|---|\n| [Why `x`?](#why-x) |\n| [Why z?](#why-z) |\n"+
		"\n| B |\n|---|\n| [Why y?](#why-y) |\n\n", rationaleIndex(t, page))
}
