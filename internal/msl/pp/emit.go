package pp

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// emit adds a token to the output. At this point names become keywords. Malformed tokens are
// reported here, once nothing can skip them any more, and repaired so that the parser does not
// report them again.
func (p *preprocessor) emit(t token.Token) {
	cut := false // a literal that swallowed the rest of its line
	switch t.Kind {
	case token.Ident:
		d := p.opts.Dialect
		if d != nil && len(p.files) > 0 && strings.HasPrefix(p.files[len(p.files)-1].path, "<puremetal/") {
			d = nil // the header is written in Metal
		}
		t.Kind = d.Keyword(t.Text)
		if t.Kind == token.Ident && (t.Text == vaArgs || t.Text == vaOpt) {
			p.sink.Errorf(diag.MisplacedVariadic, t.Pos, t.End(),
				"'%s' can only appear in the expansion of a variadic macro", t.Text)
		}
	case token.Int:
		if len(t.Text) == 1 {
			break
		}
		if _, err := token.ParseInt(t.Text); err != nil {
			code := diag.BadNumber
			if errors.Is(err, token.ErrTooLarge) {
				code = diag.NumberTooLarge
			}
			p.badLiteral(&t, code, err)
		}
	case token.Float:
		if _, err := token.ParseFloat(t.Text); err != nil {
			p.badLiteral(&t, diag.BadNumber, err)
		}
	case token.Char:
		if len(t.Text) == 3 && t.Text[1] != '\\' {
			break
		}
		if _, _, err := token.ParseChar(t.Text); err != nil {
			code := diag.BadEscape
			if strings.HasSuffix(t.Text, "''") {
				code = diag.EmptyChar
			}
			p.sink.Errorf(code, t.Pos, t.End(), "%s", literalMessage(err))
			t.Text = `'\0'`
			t.Flags |= token.AfterMistake
			break
		}
		p.unknownEscape(t)
	case token.String:
		if strings.IndexByte(t.Text, '\\') < 0 {
			break
		}
		if _, _, err := token.Unquote(t.Text); err != nil {
			p.sink.Errorf(diag.BadEscape, t.Pos, t.End(), "%s", literalMessage(err))
			t.Text = `""`
			break
		}
		p.unknownEscape(t)
	case token.Hash, token.HashHash:
		p.strayHash(t)
		p.mistake = true
		return
	case token.Other:
		if !p.other(&t) {
			p.mistake = true
			return
		}
		cut = true
		t.Flags |= token.AfterMistake
	}
	if p.operator > 0 && p.pragmaOperator(t.Kind) {
		return
	}
	if p.mistake {
		t.Flags |= token.AfterMistake
		p.mistake = false
	}
	isPragma := t.Kind == token.Ident && t.Text == "_Pragma"
	t.Flags |= p.math
	if p.unroll != nil && !isPragma && p.operator == 0 {
		p.beforeLoop(&t)
	}
	p.out = append(p.out, t)
	p.nest(t.Kind)
	p.mistake = cut
	if isPragma {
		p.operator = len(p.out)
	}
}

// strayHash reports a # in the middle of a line; a directive there is skipped with it.
func (p *preprocessor) strayHash(t token.Token) {
	if len(p.contexts) == 0 && len(p.files) > 0 && t.Kind == token.Hash {
		sc := p.files[len(p.files)-1].scanner
		ahead := *sc
		if word := ahead.NextOnLine(); word.Kind == token.Ident && slices.Contains(directives, word.Text) {
			p.sink.Errorf(diag.StrayCharacter, t.Pos, t.End(), "'#%s' must be the first token on its line", word.Text)
			sc.SkipLine()
			return
		}
	}
	p.sink.Errorf(diag.StrayCharacter, t.Pos, t.End(), "stray %s in the program", t)
}

func (p *preprocessor) unknownEscape(t token.Token) {
	if e := token.UnknownEscape(t.Text); e != "" {
		p.sink.Warnf(diag.BadEscape, t.Pos, t.End(), "unknown escape sequence '%s'", e)
	}
}

// badLiteral reports a malformed number and replaces it.
func (p *preprocessor) badLiteral(t *token.Token, code diag.Code, err error) {
	p.sink.Errorf(code, t.Pos, t.End(), "%s: '%s'", err, shorten(t.Text))
	t.Kind = token.Number
	t.Flags |= token.AfterMistake
}

// literalMessage returns the details of an error in a character or string literal, without its
// kind.
func literalMessage(err error) string {
	return strings.TrimPrefix(err.Error(), token.ErrBadEscape.Error()+": ")
}

// other reports something that is not a token. It returns false if it should be omitted.
func (p *preprocessor) other(t *token.Token) bool {
	quote := strings.IndexAny(t.Text, `"'`)
	switch {
	case quote > 0 && t.Text[quote-1] == 'R':
		p.sink.Errorf(diag.UnterminatedRaw, t.Pos, t.Pos, "unterminated or malformed raw string")
		t.Kind, t.Text = token.String, `""`
		return true
	case quote >= 0 && t.Text[quote] == '"':
		p.sink.Errorf(diag.UnterminatedString, t.Pos, t.End(), "missing terminating '\"'")
		t.Kind, t.Text = token.String, `""`
		return true
	case quote >= 0:
		p.sink.Errorf(diag.UnterminatedChar, t.Pos, t.End(), "missing terminating \"'\"")
		t.Kind, t.Text = token.Char, `'\0'`
		return true
	}
	switch r, n := utf8.DecodeRuneInString(t.Text); {
	case r == utf8.RuneError && n <= 1:
		p.sink.Errorf(diag.InvalidUTF8, t.Pos, t.End(), "invalid UTF-8 in the source")
	case r < ' ' || r == 0x7f:
		p.sink.Errorf(diag.StrayCharacter, t.Pos, t.End(), "stray character U+%04X in the program", r)
	case r >= utf8.RuneSelf:
		p.sink.Errorf(diag.StrayCharacter, t.Pos, t.End(), "stray character '%c' (U+%04X) in the program", r, r)
	default:
		p.sink.Errorf(diag.StrayCharacter, t.Pos, t.End(), "stray '%c' in the program", r)
	}
	return false
}
