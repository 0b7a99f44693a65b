package lint

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// The project spells as Go, Metal and clang do. british are stems of words that people slip into;
// the star keeps this file from containing them.
var british = strings.Fields(strings.ReplaceAll(`
	colo*ur behavio*ur neighbo*ur favo*ur hono*ur cance*lled cance*lling label*led signal*led licenc*e centr*e gre*y
	initialis*e initialis*a initialis*i optimis*e optimis*a optimis*i normalis*e normalis*a serialis*e serialis*a
	recognis*e recognis*i specialis*e specialis*a specialis*i summaris*e synchronis*e synchronis*a vectoris*e
	vectoris*a quantis*e quantis*a minimis*e minimis*i equalis*e equalis*a generalis*e generalis*a organis*e
	parenthesis*e memois*e analys*e`, "*", ""))

// foreign are words that only look British, names that are not ours, and a kind of findings whose
// spelling others rely on.
var foreign = []string{"iostatuscance" + "lled", "mtliostatuscance" + "lled", "uninitialis" + "ed"}

// american: text and names are in American spelling. Declarations of Apple's names are not ours.
func american(tr *tree) (bad []string) {
	for _, name := range tr.paths() {
		ours := slices.Contains(textFiles, path.Ext(name)) || slices.Contains(textNames, name)
		if !ours || strings.Contains(name, "testdata/fuzz/") || path.Base(name) == "zskipped.txt" {
			continue
		}
		text := bytes.ToLower(tr.text[name])
		for _, stem := range british {
			for from := 0; ; {
				at := bytes.Index(text[from:], []byte(stem))
				if at < 0 {
					break
				}
				at += from
				from = at + len(stem)
				if word := wordAt(text, at, from); !slices.Contains(foreign, word) {
					i := bytes.Count(text[:at], []byte("\n"))
					bad = append(bad, fmt.Sprintf("%s:%d: %q is British spelling", name, i+1, word))
				}
			}
		}
	}
	return bad
}

// wordAt returns the whole word around a part of a text in lower case.
func wordAt(text []byte, from, to int) string {
	letter := func(c byte) bool { return 'a' <= c && c <= 'z' }
	for from > 0 && letter(text[from-1]) {
		from--
	}
	for to < len(text) && letter(text[to]) {
		to++
	}
	return string(text[from:to])
}

func TestAmerican(t *testing.T) { holds(t, american) }

func TestAmericanSeen(t *testing.T) {
	sees(t, american, []breach{
		{"allowed", map[string]string{
			"a.go": "package a\n\n// The color of a neighbor; it was canceled and is centered. IOStatusCance" + "lled\n",
			"b.x":  "// " + "colo" + "ur\n",
		}, nil},
		{"words", map[string]string{
			"a.md": "the colo" + "ur\nis optimis" + "ed\n",
			"b.go": "package b\n\nfunc Initialis" + "e() {}\n",
		}, []string{`a.md:1: "colo` + `ur" is British`, `a.md:2: "optimis` + `ed" is British`,
			`b.go:3: "initialis` + `e" is British`}},
	})
}
