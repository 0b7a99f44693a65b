package tokenizer

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// split returns the parts of a text, with | between them.
func split(t *testing.T, name, text string) string {
	p, err := findPreTokenizer(name)
	require.NoError(t, err)
	list, err := steps(p.patterns)
	require.NoError(t, err)
	var s splitter
	var parts []string
	for _, x := range s.split(text, list) {
		parts = append(parts, s.runes.slice(x))
	}
	require.Equal(t, text, strings.Join(parts, ""), name)
	return strings.Join(parts, "|")
}

// TestSplit: the expected parts follow from the patterns by hand.
func TestSplit(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"gpt-2", "Hello  world's 123!", "Hello| | world|'s| 123|!"},
		{"gpt-2", "I'LL we'll\n\n x  ", "I|'|LL| we|'ll|\n\n| x|  "},
		{"gpt-2", "a\t\tb \u00a0c", "a|\t|\t|b| |\u00a0|c"},
		{"gpt-2", "e\u0301 ½", "e|\u0301| ½"},
		{"llama-bpe", "I'LL 12345 (x)\n\n y", "I|'LL| |123|45| (|x|)\n\n| y"},
		{"llama-bpe", "_foo$bar\r\n  \r\n  z", "_foo|$bar|\r\n  \r\n| | z"},
		{"qwen2", "v12 3", "v|1|2| |3"},
		{"qwen35", "न\u093f!\u0301", "न\u093f|!\u0301"},
		{"gpt-4o", "fooBarBAZ'S 1234/", "foo|Bar|BAZ'S| |123|4|/"},
		{"tekken", "fooBar 12", "foo|Bar| |1|2"},
		{"falcon", "x1234...y's", "x|123|4|...|y|'|s"},
		{"smollm", " 12a's", " |1|2|a|'s"},
		{"deepseek-v3", "中文ab 12345 +x", "中文|ab| |123|45| +|x"},
		{"deepseek-coder", "a\n12中", "a|\n|1|2|中"},
		{"deepseek-llm", "a, 中12  ", "a|,| |中|12|  "},
		{"superbpe", "1234567 12", "1|234|567| |12"},
		{"tiny_aya", "x1234567", "x|1|234|567"},
		{"bloom", "foo, (bar)", "foo|, (|bar|)"},
		{"bailingmoe", "a\n\nb", "a|\n\n|b"},
		{"exaone-moe", "a b c1", "a b c|1"},
		{"gemma4", "a b\n\nc", "a b|\n\n|c"},
		{"chameleon", "IMGIMGABZ  x", "IMGIMGABZ|  |x"},
		{"default", "x+1234", "x|+|123|4"},
	} {
		assert.Equal(t, x.want, split(t, x.name, x.text), "%s, %q", x.name, x.text)
	}
}

// TestPatterns compares matching with package regexp, for the patterns that it can compile.
func TestPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	letters := []string{"a", "A", "é", "中", "1", "２", " ", "\n", "\r", "\t", "'s", "'S", "'ll", "!", "$", ".",
		"/", "<", "_",
		"\u0301", "😀", "IMG", "Z"}
	compared := 0
	for _, pre := range preTokenizers {
		for _, text := range pre.patterns {
			// The alternatives with lookahead are for blanks.
			plain := strings.ReplaceAll(text, `\s+(?!\S)|\s+`, `\s+`)
			other, err := regexp.Compile(plain)
			if err != nil || strings.HasPrefix(text, "\x00") || strings.Contains(text, "&&") {
				continue
			}
			ours, err := compile(plain, false)
			require.NoError(t, err)
			compared++
			for range 300 {
				var b strings.Builder
				for range r.IntN(12) {
					b.WriteString(letters[r.IntN(len(letters))])
				}
				var want []string
				at := 0
				for _, m := range other.FindAllStringIndex(b.String(), -1) {
					want = append(want, b.String()[at:m[0]], b.String()[m[0]:m[1]])
					at = m[1]
				}
				want = append(want, b.String()[at:])
				var s splitter
				got := []string{}
				for _, x := range s.split(b.String(), []step{{pattern: ours}}) {
					got = append(got, s.runes.slice(x))
				}
				require.Equal(t, strings.Join(nonEmpty(want), "|"), strings.Join(got, "|"), "%q of %q", plain, b.String())
			}
		}
	}
	assert.Greater(t, compared, 15)
}

func nonEmpty(list []string) (out []string) {
	for _, x := range list {
		if x != "" {
			out = append(out, x)
		}
	}
	return out
}

// TestForeignPatterns: what a file brings is refused, or ends soon.
func TestForeignPatterns(t *testing.T) {
	for _, text := range []string{"(", ")", "[", "[a", "a{", "a{2,1}", "a{9999}", "(a*)*", "((?=a))*",
		"(?<=a)b", `\w`, `\p{Greek}`,
		"a+?", ".", "^a", "(?P<x>a)", "[[:alpha:]]", "[a&&b]", strings.Repeat("(", 100), strings.Repeat("a", 9999),
		"((((a{999}){999}){999}){999}", `\1`, `\x41`, "*", "a|*", "(?:a|b"} {
		_, err := compile(text, true)
		assert.ErrorIs(t, err, ErrUnknown, "%q", text)
	}
	for _, text := range []string{"(?:a|aa)+b", "(a+a+a+)+b", "a+a+a+a+b", "(?=a+b)a", "(?:(?:a?){50}a)+c|a"} {
		p, err := compile(text, true)
		if err != nil {
			continue
		}
		var s splitter
		s.split(strings.Repeat("a", 1<<14), []step{{pattern: p}})
		assert.Less(t, cap(s.matcher.choices), 1<<24, text)
	}
}

// TestClasses: a few code points of each class, and what Unicode added after Go's tables.
func TestClasses(t *testing.T) {
	table := classes()
	for r, want := range map[rune]class{'A': upper, 'ǅ': upper, 'a': lower, 'ʰ': caseless, '中': caseless, '1': number,
		'½': number, 'Ⅷ': number, '\u0301': mark, '!': punctuation, '$': symbol, ' ': space, 0x85: space, '\u3000': space,
		0: 0, 0x378: 0, 0xE000: 0, 0x2FFC: symbol, 0x2EBF0: caseless} {
		assert.Equal(t, want, table[r], "%U", r)
	}
}

// TestRunes: invalid text is decoded as llama.cpp does.
func TestRunes(t *testing.T) {
	for text, want := range map[string]string{"a\xff": "[a �]", "\xe2\x82": "[� �]", "\xc0\x80": "[\x00]",
		"\xed\xa0\x80": "[0xd800]", "\xf5\x80\x80\x80": "[� � � �]", "\xf4\x90\x80\x80": "[� � � �]", "é": "[é]",
		"\xe0\x80\x80x": "[\x00 x]"} {
		var x runes
		x.set(text)
		var list []string
		for _, r := range x.all {
			if r >= 0xD800 && r < 0xE000 {
				list = append(list, fmt.Sprintf("%#x", r))
			} else {
				list = append(list, string(r))
			}
		}
		assert.Equal(t, want, fmt.Sprint(list), "%q", text)
	}
	assert.Equal(t, "a\uFFFD\x00\xed\xa0\x80", replaceInvalid("a\xff\xc0\x80\xed\xa0\x80"))
}
