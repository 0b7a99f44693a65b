package pp

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// includeCost is the cost of an included file besides its bytes, so that even many empty files
// exhaust the limit.
const includeCost = 256

// bytesPerStep is how many bytes of a file are read per step. Checking whether a file exists reads
// it too.
const bytesPerStep = 256

// mainDir returns the folder of the main file in Options.Include.
func mainDir(main *diag.File, opts Options) string {
	dir := opts.Dir
	if dir == "" {
		dir = path.Dir(main.Name)
	}
	if !fs.ValidPath(dir) {
		return "."
	}
	return dir
}

// header is the operand of an #include.
type header struct {
	tok    token.Token
	name   string
	angled bool
}

// include handles #include and the like, and consumes the line.
func (p *preprocessor) include(s *source, word token.Token) {
	h, ok := p.headerName(s, word)
	if !ok {
		s.scanner.SkipLine()
		return
	}
	p.endOfDirective(s.scanner, "#"+word.Text)
	f, ok := p.find(s, h)
	if !ok {
		return
	}
	if p.once[f.key()] {
		return
	}
	if word.Text == "import" {
		p.once[f.key()] = true
	}
	if len(p.files) > p.includes {
		p.stop(diag.IncludeDepth, h.tok.Pos, h.tok.End(), "#include nested too deeply: more than %d levels", p.includes)
		return
	}
	cost := len(f.text) + includeCost
	if cost > p.room || len(f.text) > p.fs.Room() {
		p.stop(diag.IncludeTooLarge, h.tok.Pos, h.tok.End(), "included files exceed %d bytes in total", p.maxRoom)
		return
	}
	p.room -= cost
	p.sink.Grow(len(f.text))
	p.open(p.fs.AddIncluded(p.display(f), f.text, word.Pos), path.Dir(f.path), f.key())
}

// headerName reads the operand of an #include, which may come from a macro.
func (p *preprocessor) headerName(s *source, word token.Token) (header, bool) {
	if t, ok := s.scanner.HeaderName(); ok {
		h := header{t, t.Text[1 : len(t.Text)-1], t.Text[0] == '<'}
		if h.name == "" {
			p.sink.Errorf(diag.MalformedDirective, t.Pos, t.End(), "empty file name in #%s", word.Text)
		}
		return h, h.name != ""
	}
	toks := p.expandLine(restOfLine(s.scanner))
	h, rest, ok := headerTokens(toks)
	switch {
	case p.stopped:
		return h, false
	case !ok:
		p.sink.Errorf(diag.MalformedDirective, word.Pos, word.End(), "#%s needs \"file\" or <file>", word.Text)
	case len(rest) > 0:
		p.sink.Warnf(diag.ExtraTokens, rest[0].Pos, rest[0].End(), "extra tokens at end of #%s", word.Text)
	}
	return h, ok
}

// headerTokens reassembles a header name from tokens.
func headerTokens(toks []token.Token) (h header, rest []token.Token, ok bool) {
	if len(toks) == 0 {
		return h, nil, false
	}
	h.tok = toks[0]
	if h.tok.Kind == token.String && h.tok.Text[0] == '"' && len(h.tok.Text) > 2 {
		h.name = h.tok.Text[1 : len(h.tok.Text)-1]
		return h, toks[1:], true
	}
	if h.tok.Kind != token.Less {
		return h, nil, false
	}
	var b strings.Builder
	for i, t := range toks[1:] {
		if t.Kind == token.Greater {
			h.name, h.angled = b.String(), true
			return h, toks[i+2:], h.name != ""
		}
		if i > 0 && t.Flags&token.SpaceBefore != 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return h, nil, false
}

// found is a file found by an #include.
type found struct {
	path   string // in Options.Include, or the name of a built-in header
	inside bool   // it is a built-in header
	text   string
}

// key identifies the file in the set of files not to be included again.
func (f found) key() string {
	if f.inside {
		return "<" + f.path + ">"
	}
	return f.path
}

// display is the file's name in messages.
func (p *preprocessor) display(f found) string {
	if p.opts.Show != nil && !f.inside {
		return p.opts.Show(f.path)
	}
	return f.key()
}

// find looks for a header and reports if it is not found.
func (p *preprocessor) find(s *source, h header) (found, bool) {
	f, err := p.lookFor(s, h)
	if err == nil {
		return f, true
	}
	at, end := h.tok.Pos, h.tok.End()
	if errors.Is(err, fs.ErrNotExist) {
		if d := p.opts.Dialect; d != nil && d.Headers != nil {
			if !d.Headers(h.name, h.angled) {
				p.sink.Warnf(diag.HeaderNotFound, at, end, "'%s' is not found and is treated as empty", shorten(h.name))
			}
			return found{}, false
		}
		if strings.HasPrefix(h.name, "metal_") && h.angled {
			p.sink.Warnf(diag.UnknownMetalHeader, at, end, "unknown Metal header '%s' is treated as empty",
				shorten(h.name))
			return found{}, false
		}
		d := diag.Errorf(diag.HeaderNotFound, at, end, "'%s' file not found", shorten(h.name))
		if meant := diag.Suggest(h.name, slices.Values(headerNames)); meant != "" {
			d.Message += "; did you mean <" + meant + ">?"
		}
		p.sink.Report(d)
		return found{}, false
	}
	p.sink.Errorf(diag.HeaderNotFound, at, end, "'%s' cannot be read: %v", shorten(h.name), err)
	return found{}, false
}

// lookFor looks for a header. "file" is first looked up next to the including file; then both forms
// are looked up among the built-in headers and in the include folders.
func (p *preprocessor) lookFor(s *source, h header) (found, error) {
	if !h.angled {
		if f, err := p.readFile(s.dir, h.name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	if d := p.opts.Dialect; d != nil && d.Header != nil {
		if text, ok := d.Header(h.name); ok {
			return found{d.Namespace + "/" + h.name, true, text}, nil
		}
	}
	if text, ok := builtinHeader(h.name); ok {
		return found{h.name, true, text}, nil
	}
	for _, dir := range p.opts.IncludeDirs {
		if f, err := p.readFile(dir, h.name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return found{}, fs.ErrNotExist
}

// readFile reads a file of Options.Include.
func (p *preprocessor) readFile(dir, name string) (found, error) {
	full := path.Join(dir, name)
	if p.opts.Include == nil || path.IsAbs(name) || !fs.ValidPath(full) || strings.IndexByte(full,
		0) >= 0 || !utf8.ValidString(full) {
		return found{}, fs.ErrNotExist
	}
	if !p.work(1 + len(full)) {
		return found{}, fs.ErrNotExist
	}
	info, err := fs.Stat(p.opts.Include, full)
	switch {
	case err != nil:
		return found{}, err
	case info.IsDir():
		return found{}, fs.ErrNotExist
	case info.Size() > int64(p.maxRoom):
		return found{}, errTooLarge
	}
	if !p.work(int(info.Size() / bytesPerStep)) {
		return found{}, fs.ErrNotExist
	}
	text, err := fs.ReadFile(p.opts.Include, full)
	return found{path: full, text: string(text)}, err
}

var errTooLarge = errors.New("it exceeds the limit of all included files")
