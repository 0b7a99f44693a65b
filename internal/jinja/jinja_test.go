package jinja_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/jinja"
)

var noon = time.Date(2024, time.July, 26, 12, 4, 5, 0, time.UTC)

func render(t *testing.T, source string, variables map[string]any) string {
	t.Helper()
	x, err := jinja.Parse(source)
	require.NoError(t, err, source)
	text, err := x.Render(variables, noon)
	require.NoError(t, err, source)
	return text
}

// TestRender compares with what Python's Jinja2 3.1.6 writes with trim_blocks and lstrip_blocks.
func TestRender(t *testing.T) {
	variables := map[string]any{"a": 7, "f": 2.5, "s": " Ab c ", "list": []any{3, 1, 2}, "none": nil,
		"d": map[string]any{"x": "y", "items": 1},
		"m": []any{map[string]any{"role": "user", "n": 2}, map[string]any{"role": "bot", "n": 1}}}
	for _, x := range [][2]string{
		// Blanks.
		{"a\n  {% if true %}\n  b\n  {% endif %}\nc\n\n", "a\n  b\nc\n"},
		{"a\n  {%+ if true %}\n b{% endif +%}\nc", "a\n   b\nc"},
		{"a  {%- if true -%}  \n b {%- endif %}\nc", "abc"},
		{"a {{- 1 -}} \n b", "a1b"},
		{"  {{ 1 }}\n\n", "  1\n"},
		{"x {# c #}\ny\n  {#- d -#}  z", "x yz"},
		{"{% set x = 1 %}\n  {% set y = 2 %}\n\nz", "\nz"},
		{"a\r\nb", "a\nb"},
		// Numbers.
		{"{{ 1 + 2 * 3 ** 2 - 4 // 3 }} {{ 7 % -3 }} {{ -7 // 2 }}", "18 -2 -4"},
		{"{{ 7 / 2 }} {{ 1e3 }} {{ 1_000 }} {{ f * 2 }}", "3.5 1000.0 1000 5.0"},
		{"{{ 2 ** 62 }} {{ 2 ** -1 }} {{ 1e16 }} {{ 0.00001 }}", "4611686018427387904 0.5 1e+16 1e-05"},
		{"{{ true + 1 }} {{ 1 == 1.0 }} {{ true == 1 }} {{ -a }}", "2 True True -7"},
		{"{{ 'a' ~ 1 ~ none ~ true ~ nothing }}", "a1NoneTrue"},
		{"{{ 1 < 2 < 3 }} {{ 1 < 2 > 2 }} {{ not 1 == 2 }}", "True False True"},
		// Strings.
		{"{{ 'a\\n\\'b\\u00e9\\x41' \"c\" }}", "a\n'béAc"},
		{"{{ s.strip() }}|{{ s | trim }}|{{ s.lstrip() }}|{{ 'xax'.strip('x') }}", "Ab c|Ab c|Ab c |a"},
		{"{{ 'a,b,c'.split(',') }} {{ ' a  b '.split() }}", "['a', 'b', 'c'] ['a', 'b']"},
		{"{{ 'a,b,c'.split(',', 1)[-1] }} {{ 'a,b,c'.rsplit(',', 1)[0] }}", "b,c a,b"},
		{"{{ 'abc'[1] }}{{ 'abc'[-1] }}{{ 'abc'[::-1] }}{{ 'abc'[:2] }}", "bccbaab"},
		{"{{ 'ab'.startswith('a') }} {{ 'ab'.endswith(('x', 'b')) }}", "True True"},
		{"{{ 'abab'.replace('a', 'x', 1) }} {{ 'ab' | replace('a', '') }}", "xbab b"},
		{"{{ 'a' * 3 }} {{ 'a' in 'cat' }} {{ 'x' not in 'cat' }}", "aaa True True"},
		{"{{ 'héé'.find('é') }} {{ 'h'.find('x') }} {{ 'aXb' | lower }}", "1 -1 axb"},
		{"{{ 'hello wORLD' | title }} {{ 'hello wORLD' | capitalize }}", "Hello World Hello world"},
		{"{{ 'a\nb' | indent(2) }}|{{ 'a\nb' | indent(2, true) }}", "a\n  b|  a\n  b"},
		{"{{ '<&' | e }} {{ 'x'.upper() }} {{ 'é' | length }}", "&lt;&amp; X 1"},
		// Lists and dicts.
		{"{{ list }} {{ [1, 'a', none, 2.0] }} {{ (1, 2)[1] }} {{ {'a': [1]} }}",
			"[3, 1, 2] [1, 'a', None, 2.0] 2 {'a': [1]}"},
		{"{{ list[1:] }} {{ list[::-1] }} {{ list[-1] }} {{ list[5] }}|", "[1, 2] [2, 1, 3] 2 |"},
		{"{{ list | sort }} {{ list | sort(reverse=true) | first }} {{ list | last }} {{ list | sum }}", "[1, 2, 3] 3 2 6"},
		{"{{ list | max }} {{ list | min }} {{ list | join('-') }} {{ [1, 1, 2] | unique | list }}", "3 1 3-1-2 [1, 2]"},
		{"{{ d.x }} {{ d['items'] }} {{ d.get('q', 5) }} {{ d.q }} {{ d.get('q') }}", "y 1 5  None"},
		{"{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "items=1;x=y;"},
		{"{{ m | map(attribute='role') | join(',') }} {{ m | selectattr('n', 'gt', 1) | list | length }}", "user,bot 1"},
		{"{{ m | rejectattr('role', 'equalto', 'user') | map(attribute='n') | list }}", "[1]"},
		{"{{ list | select('odd') | list }} {{ list | reject('in', [1]) | list }}", "[3, 1] [3, 2]"},
		{"{{ ['a', 'b'] | map('upper') | list }} {{ 3 in list }} {{ 'x' in d }}", "['A', 'B'] True True"},
		{"{{ d | tojson }} {{ [1, \"é<\"] | tojson(indent=2) }} {{ [] | tojson }}",
			"{\"items\": 1, \"x\": \"y\"} [\n  1,\n  \"é<\"\n] []"},
		{"{{ m | sort(attribute='n') | map(attribute='role') | first }}", "bot"},
		// Tests and conditions.
		{"{{ q is defined }} {{ a is defined and a is number }} {{ none is none }} {{ a is not none }}",
			"False True True True"},
		{"{{ s is string }} {{ d is mapping }} {{ list is iterable }} {{ s is sequence }} {{ a is odd }}",
			"True True True True True"},
		{"{{ a is divisibleby 7 }} {{ 'x' if q else 'y' }} {{ 'x' if q }}| {{ q or 5 }} {{ a and '' }}|", "True y | 5 |"},
		{"{{ 6 is even and true is true }} {{ 1 is boolean }} {{ a is integer }} {{ f is float }}", "True False True True"},
		{"{{ q | default('z') }} {{ '' | default('z', true) }} {{ '12' | int + 1 }} {{ 'x' | int }}", "z z 13 0"},
		{"{{ 2.5 | round }} {{ 2.567 | round(2) }} {{ -3 | abs }} {{ '1.5' | float }}", "2.0 2.57 3 1.5"},
		// Statements.
		{"{% for x in list if x > 1 %}{{ loop.index }}{{ x }}{{ ',' if not loop.last }}{% endfor %}", "13,22"},
		{"{% for x in [] %}a{% else %}b{% endfor %}", "b"},
		{"{% for x in list %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% break %}{% endfor %}", "3"},
		{"{% set x = 1 %}{% for y in list %}{% set x = y %}{% endfor %}{{ x }}", "1"},
		{"{% set ns = namespace(x=1) %}{% for y in list %}{% set ns.x = ns.x + y %}{% endfor %}{{ ns.x }}", "7"},
		{"{% if a == 1 %}b{% elif a == 7 %}c{% else %}d{% endif %}", "c"},
		{"{% macro f(x, y='z') %}[{{ x }}{{ y }}]{% endmacro %}{{ f(1) }}{{ f(1, y=2) }}", "[1z][12]"},
		{"{% set x %}a{{ 1 }}{% endset %}{{ x }}{% set p, q = 1, 2 %}{{ p }}{{ q }}", "a112"},
		{"{% for x in 'ab' %}{{ loop.previtem }}{{ x }}{{ loop.nextitem }}{{ loop.cycle(1, 2) }}{% endfor %}", "ab1ab2"},
		{"{% generation %}x{% endgeneration %}", "x"},
		{"{{ range(3) | list }}{{ range(1, 7, 3) | list }}{{ range(3, 0, -1) | list }}", "[0, 1, 2][1, 4][3, 2, 1]"},
		{"{{ strftime_now('%d %b %Y, %H:%M') }} {{ dict(a=1).a }}", "26 Jul 2024, 12:04 1"},
	} {
		source, want := x[0], x[1]
		assert.Equal(t, want, render(t, source, variables), source)
	}
}

// TestWrong: what is wrong is an error with its line.
func TestWrong(t *testing.T) {
	for _, c := range [][2]string{
		{"a\n{{ 1", "line 2: a tag does not end with }}"},
		{"{% if x %}", "line 1: unexpected end of the template, want endif"},
		{"{% endif %}", `line 1: unexpected "endif"`},
		{"{% include 'x' %}", "statement include"},
		{"{{ x | evil }}", `unknown filter "evil"`},
		{"{{ x is evil }}", `unknown test "evil"`},
		{"{{ x.y.z }}", "line 1: x is undefined, and has no y"},
		{"\n\n{{ 1 + 'a' }}", "line 3: a number + a string: unsupported"},
		{"{{ 'a' + none }}", "a string + none"},
		{"{{ 1 // 0 }}", "1 // 0"},
		{"{{ 9223372036854775807 + 1 }}", "too large"},
		{"{{ f() }}", "undefined (f) is no function"},
		{"{{ raise_exception('no ' ~ 1) }}", "line 1: no 1: bad template: refused by the template"},
		{"{{ 'a }}", "a string does not end"},
		{"{# a", "a comment does not end"},
		{"{{ ? }}", `unexpected character '?'`},
		{"{% set d.x = 1 %}", "has no attribute that can be set"},
		{"{{ 1 2 }}", `unexpected "2"`},
		{"{{ [1] < 'a' }}", "have no order"},
		{"{% for x in 1 %}{% endfor %}", "a number has no elements"},
		{"{{ {1: 2} }}", "the key of a dict"},
	} {
		source, want := c[0], c[1]
		x, err := jinja.Parse(source)
		if err == nil {
			_, err = x.Render(nil, noon)
		}
		if assert.ErrorIs(t, err, jinja.ErrTemplate, source) {
			assert.Contains(t, err.Error(), want, source)
		}
	}
	x, err := jinja.Parse("{{ raise_exception('no') }}")
	require.NoError(t, err)
	_, err = x.Render(nil, noon)
	assert.ErrorIs(t, err, jinja.ErrRaised)
}

// TestHostile: whatever a template says, it ends soon and takes little memory.
func TestHostile(t *testing.T) {
	long := func(s string, n int) string { return strings.Repeat(s, n) }
	text := map[string]any{"text": long("a", 1<<20), "list": []any{1, 2, 3}}
	for _, c := range [][2]string{
		{"loops", long("{% for a in range(1000) %}", 6) + long("{% endfor %}", 6)},
		{"recursion", "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}"},
		{"two macros", "{% macro f() %}{{ g() }}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}"},
		{"repeated", "{{ 'a' * 100000000000 }}"},
		{"big repeat", "{{ text * 9223372036854775807 }}"},
		{"range", "{{ range(10000000000) | length }}"},
		{"doubled", "{% set n = namespace(x='aa') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}"},
		{"lists", "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}"},
		{"nested list", "{% set n = namespace(x=1) %}{% for i in range(100000) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x }}"},
		{"shared list",
			"{% set n = namespace(x=1) %}{% for i in range(45) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}"},
		{"json", "{% set n = namespace(x=1) %}{% for i in range(45) %}{% set n.x = [n.x, n.x] %}" +
			"{% endfor %}{{ n.x | tojson }}"},
		{"equal", "{% set n = namespace(x=1, y=1) %}{% for i in range(45) %}{% set n.x = [n.x, n.x] %}" +
			"{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}"},
		{"searches", "{% for i in range(1000000) %}{% if 'b' in text %}{% endif %}{% endfor %}"},
		{"compared", "{% set o = text ~ '' %}{% for i in range(1000000) %}{% if o == text %}{% endif %}{% endfor %}"},
		{"replaced", "{{ text | replace('a', text) }}"},
		{"replaced 2", "{{ text.replace('', text) }}"},
		{"joined", "{{ list | join(text * 100) }}"},
		{"joined 2", "{{ text | join(text) }}"},
		{"split", "{% for i in range(1000) %}{% set x = text.split('a') %}{% endfor %}"},
		{"indented", "{{ text | indent(9223372036854775807, true) }}"},
		{"unique", "{{ range(100000) | unique | list }}"},
		{"sort", "{% for i in range(1000000) %}{% set x = [text ~ 1, text ~ 2] | sort %}{% endfor %}"},
		{"keys", "{% set d = {} %}{% for i in range(1000000) %}{{ d[text] }}{% endfor %}"},
		{"power", "{% for i in range(1000000) %}{{ 3 ** 9223372036854775807 }}{% endfor %}"},
		{"shift", "{{ range(-9223372036854775807, 9223372036854775807) }}"},
		{"parens", "{{ " + long("(", 100000)},
		{"brackets", "{{ " + long("[", 100000)},
		{"minus", "{{ " + long("-", 100000) + "1 }}"},
		{"not", "{{ " + long("not ", 60000) + "1 }}"},
		{"chain", "{{ x" + long("~x", 100000) + " }}"},
		{"filters", "{{ x" + long("|d", 100000) + " }}"},
		{"ors", "{{ x" + long(" or x", 50000) + " }}"},
		{"calls", "{{ x" + long("()", 100000) + " }}"},
		{"ifs", long("{% if 1 %}", 20000)},
		{"elifs", "{% if 0 %}" + long("{% elif 0 %}", 20000) + "{% endif %}"},
		{"ternary", "{{ " + long("1 if 0 else ", 20000) + "1 }}"},
		{"source", long(" ", jinja.MaxSource+1)},
		{"variables", "{% for i in range(1000000) %}{% for j in range(1000000) %}{% set x = i %}{% endfor %}{% endfor %}"},
		{"captures", "{% macro f(x) %}{{ x }}{{ x }}{% endmacro %}{{ f(f(f(f(f(f(f(f(text)))))))) }}"},
		{"width", "{{ [[1]] | tojson(indent=9223372036854775807) }}" + long("{{ text }}", 200)},
	} {
		name, source := c[0], c[1]
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begin := time.Now()
			x, err := jinja.Parse(source)
			if err == nil {
				_, err = x.Render(text, noon)
			}
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, err, jinja.ErrTemplate)
			assert.Less(t, len(err.Error()), 1000)
			t.Logf("%v, %d MiB, %v", err, (after.TotalAlloc-before.TotalAlloc)>>20, time.Since(begin))
			assert.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(1024), "MiB of memory, together")
		})
	}
}

// FuzzRender: no template panics, hangs or takes much memory.
func FuzzRender(f *testing.F) {
	for _, s := range []string{"{% for m in messages %}{{ m.role ~ '\n' }}{% endfor %}", "{{ a | tojson }}" +
		"{% set x = 1 %}",
		"{% macro f(x) %}{{ x[::-1] }}{% endmacro %}{{ f('ab') }}", "{%- if a is defined and not b -%}{{ a.b.c }}" +
			"{% endif %}",
		"{% set ns = namespace(a=1) %}{% set ns.a = ns.a ** 3 // 2 %}{{ ns.a }}",
		"{{ messages | selectattr('role', 'eq', 'x') | list }}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		x, err := jinja.Parse(source)
		if err != nil {
			return
		}
		messages := []any{map[string]any{"role": "user", "content": "x"}}
		_, _ = x.Render(map[string]any{"a": 1, "b": "é\xff", "messages": messages}, noon)
	})
}
