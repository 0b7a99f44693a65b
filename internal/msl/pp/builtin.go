package pp

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// builtin is the behavior of a macro that a definition cannot express.
type builtin uint8

const (
	notBuiltin builtin = iota
	lineMacro
	fileMacro
	fileNameMacro
	baseFileMacro
	counterMacro
	levelMacro
	dateMacro
	timeMacro
	hasInclude
	hasAttribute
	hasFeature
	hasBuiltin
	isIdentifier
)

// builtins are the macros that are not defined as text.
var builtins = [...]struct {
	name string
	kind builtin
}{
	{"__LINE__", lineMacro},
	{"__FILE__", fileMacro},
	{"__FILE_NAME__", fileNameMacro},
	{"__BASE_FILE__", baseFileMacro},
	{"__COUNTER__", counterMacro},
	{"__INCLUDE_LEVEL__", levelMacro},
	{"__DATE__", dateMacro},
	{"__TIME__", timeMacro},
	{"__has_include", hasInclude},
	{"__has_include_next", hasInclude},
	{"__has_attribute", hasAttribute},
	{"__has_cpp_attribute", hasAttribute},
	{"__has_declspec_attribute", hasBuiltin},
	{"__has_feature", hasFeature},
	{"__has_extension", hasFeature},
	{"__has_builtin", hasBuiltin},
	{"__has_warning", hasBuiltin},
	{"__is_identifier", isIdentifier},
}

// attributes are those known to __has_attribute and __has_cpp_attribute, without surrounding
// underscores.
var attributes = []string{"aligned", "always_inline", "annotate", "const", "deprecated", "diagnose_if", "enable_if",
	"fallthrough",
	"flatten", "host_name", "maybe_unused", "nodiscard", "noinline", "noreturn", "overloadable", "packed", "pure",
	"unused", "used",
	"visibility", "warn_unused_result", "weak"}

// features are those known to __has_feature and __has_extension, without the prefix cxx_.
var features = []string{"aggregate_nsdmi", "alias_templates", "alignas", "alignof", "attributes", "auto_type",
	"binary_literals", "constexpr", "contextual_conversions", "decltype", "decltype_auto",
	"decltype_incomplete_return_types",
	"default_function_template_args", "defaulted_functions", "delegating_constructors", "deleted_functions",
	"explicit_conversions",
	"generalized_initializers", "generic_lambdas", "implicit_moves", "inheriting_constructors", "init_captures",
	"inline_namespaces",
	"lambdas", "local_type_template_args", "noexcept", "nonstatic_member_init", "nullptr", "override_control",
	"range_for", "raw_string_literals", "reference_qualified_functions", "relaxed_constexpr", "return_type_deduction",
	"rvalue_references", "static_assert", "strong_enums", "trailing_return", "unicode_literals", "unrestricted_unions",
	"user_literals", "variable_templates", "variadic_templates"}

// predefine defines the predefined macros.
func (p *preprocessor) predefine() {
	for _, b := range builtins {
		p.macros[b.name] = &macro{name: b.name, builtin: b.kind, function: b.kind >= hasInclude}
	}
	version := cmp.Or(p.opts.MetalVersion, DefaultVersion)
	var b strings.Builder
	def := func(name, value string) { b.WriteString("#define " + name + " " + value + "\n") }
	b.WriteString(predefined)
	if d := p.opts.Dialect; d != nil {
		b.WriteString(d.Macros)
	} else {
		metalMacros(version, &b)
	}
	p.preprocess("<built-in>", b.String())
	if len(p.opts.Defines) == 0 {
		return
	}
	b.Reset()
	for _, name := range slices.Sorted(maps.Keys(p.opts.Defines)) {
		value := p.opts.Defines[name]
		def(oneLine(name), oneLine(value))
	}
	p.preprocess("<command line>", b.String())
}

// metalMacros writes the predefined macros of Metal that depend on its version.
func metalMacros(version int, b *strings.Builder) {
	fmt.Fprintf(b, "%s#define __METAL_VERSION__ %d\n", predefinedMetal, version)
	if version >= 310 {
		b.WriteString("#define __HAVE_BFLOAT__ 1\n")
	}
	if version >= 400 {
		b.WriteString("#define __cplusplus 201703L\n#define __HAVE_TENSOR__ 1\n")
	} else {
		b.WriteString("#define __cplusplus 201402L\n")
	}
}

// oneLine makes an externally given definition fit on one line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, strings.TrimRight(text, "\\ \t\r\n"))
}

// preprocess runs a text of definitions, which produces no tokens.
func (p *preprocessor) preprocess(name, text string) {
	p.predefining = true
	p.open(p.fs.AddFile(name, text), ".", "")
	for {
		if _, ok := p.read(); !ok {
			break
		}
	}
	p.predefining = false
}

// predefinedMetal are those of all programs in Metal.
const predefinedMetal = `#define __METAL__ 1
#define __METAL_MACOS__ 1
#define __AIR64__ 1
#define __APPLE__ 1
#define __APPLE_CC__ 6000
#define __MACH__ 1
`

// predefined are the macros that are the same for all programs.
const predefined = `#define __PUREMETAL__ 1
#define __clang__ 1
#define __clang_major__ 32023
#define __clang_minor__ 0
#define __clang_patchlevel__ 0
#define __clang_version__ "32023.0.0"
#define __llvm__ 1
#define __GNUC__ 4
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 1
#define __GXX_WEAK__ 1
#define __STDC__ 1
#define __STDC_HOSTED__ 0
#define __LITTLE_ENDIAN__ 1
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __CHAR_BIT__ 8
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_FLOAT__ 4
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __FLT_MAX__ 3.40282347e+38f
#define __FLT_MIN__ 1.17549435e-38f
#define __FLT_EPSILON__ 1.19209290e-7f
`

// useBuiltin replaces a built-in macro by a token.
func (p *preprocessor) useBuiltin(m *macro, name token.Token) bool {
	if m.function {
		if m.builtin == hasInclude && !p.condition {
			p.sink.Errorf(diag.BadCondition, name.Pos, name.End(), "'%s' can only be used in #if and #elif", name.Text)
		}
		if !p.peekLParen() {
			p.sink.Errorf(diag.MacroArguments, name.Pos, name.End(), "missing '(' after '%s'", name.Text)
			p.replace(m, name, token.Int, "0")
			return true
		}
		p.replace(m, name, token.Int, p.ask(m, name))
		return true
	}
	number := func(n int) { p.replace(m, name, token.Int, strconv.Itoa(n)) }
	text := func(s string) { p.replace(m, name, token.String, quote(s)) }
	switch m.builtin {
	case lineMacro:
		number(p.fs.Position(name.Pos).Line)
	case fileMacro:
		text(p.fs.Position(name.Pos).File)
	case fileNameMacro:
		text(path.Base(p.fs.Position(name.Pos).File))
	case baseFileMacro:
		text(p.main.Name)
	case counterMacro:
		number(p.counter)
		p.counter++
	case levelMacro:
		number(max(0, len(p.files)-1))
	case dateMacro: // a fixed date, so that the same source always gives the same program
		text("??? ?? ????")
	case timeMacro:
		text("??:??:??")
	}
	return true
}

// quote returns a string literal.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// replace replaces a macro's name by a token.
func (p *preprocessor) replace(m *macro, name token.Token, kind token.Kind, text string) {
	if !p.spend(1+len(text)/8, name) {
		return
	}
	id := p.fs.NewExpansion(m.name, diag.NoPos, name.Pos)
	t := token.Token{Kind: kind, Flags: name.Flags, Pos: p.fs.ExpansionPos(id, name.Pos, true), Text: text}
	p.push(context{toks: append(p.alloc(1), t)}, name)
}

// ask evaluates one of the macros that query features.
func (p *preprocessor) ask(m *macro, name token.Token) string {
	p.next() // the left parenthesis
	var toks []token.Token
	for depth := 1; ; {
		t, ok := p.next()
		if !ok || !p.spend(1, name) {
			if !p.stopped {
				p.sink.Errorf(diag.UnterminatedInvocation, name.Pos, name.End(), "missing ')' after '%s'", name.Text)
			}
			return "0"
		}
		if t.Kind == token.LParen {
			depth++
		} else if t.Kind == token.RParen {
			if depth--; depth == 0 {
				break
			}
		}
		toks = append(toks, t)
	}
	if len(toks) == 0 {
		p.sink.Errorf(diag.MacroArguments, name.Pos, name.End(), "'%s' needs an argument", name.Text)
		return "0"
	}
	yes := false
	last := strings.Trim(toks[len(toks)-1].Text, "_")
	switch m.builtin {
	case hasInclude:
		yes = p.hasInclude(toks, name)
	case hasAttribute:
		_, yes = slices.BinarySearch(attributes, last)
	case hasFeature:
		_, yes = slices.BinarySearch(features, strings.TrimPrefix(last, "cxx_"))
	case isIdentifier:
		yes = len(toks) == 1 && toks[0].Kind == token.Ident && p.opts.Dialect.Keyword(toks[0].Text) == token.Ident
	}
	if yes {
		return "1"
	}
	return "0"
}

// hasInclude evaluates __has_include.
func (p *preprocessor) hasInclude(toks []token.Token, name token.Token) bool {
	h, rest, ok := headerTokens(toks)
	if !ok && toks[0].Kind == token.Ident {
		h, rest, ok = headerTokens(p.expandLine(toks))
	}
	if !ok || len(rest) > 0 {
		p.sink.Errorf(diag.BadCondition, name.Pos, name.End(), "'%s' needs \"file\" or <file>", name.Text)
		return false
	}
	if len(p.files) == 0 {
		return false
	}
	_, err := p.lookFor(p.files[len(p.files)-1], h)
	return err == nil
}
