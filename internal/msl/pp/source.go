package pp

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// source is a file being read.
type source struct {
	scanner      *token.Scanner
	dir          string // its folder in Options.Include
	path         string // its key in p.once; "" for the main file
	conditionals []conditional
	skipping     bool // in a branch that a conditional skips
}

// open starts reading a file.
func (p *preprocessor) open(f *diag.File, dir, path string) {
	p.out = slices.Grow(p.out, len(f.Text)/4)
	p.files = append(p.files, &source{scanner: token.NewScanner(f, p.sink), dir: dir, path: path})
}

// read returns the next token of the files, processing directives along the way. It returns false
// at the end of the main file.
func (p *preprocessor) read() (token.Token, bool) {
	for len(p.files) > 0 && !p.stopped {
		s := p.files[len(p.files)-1]
		t := s.scanner.Next()
		switch {
		case t.Kind == token.EOF:
			p.close(s)
		case t.Kind == token.Hash && t.Flags&token.AtLineStart != 0:
			p.work(1)
			p.directive(s)
			for s.skipping && !p.stopped {
				if t := s.scanner.Next(); t.Kind == token.EOF {
					break
				} else if t.Kind == token.Hash && t.Flags&token.AtLineStart != 0 {
					p.work(1)
					p.directive(s)
				} else {
					s.scanner.SkipLine()
				}
			}
		default:
			return t, true
		}
	}
	return token.Token{}, false
}

// close finishes a file.
func (p *preprocessor) close(s *source) {
	for i := len(s.conditionals) - 1; i >= 0; i-- {
		c := &s.conditionals[i]
		p.sink.Errorf(diag.UnterminatedIf, c.pos, c.pos+diag.Pos(len(c.word)), "unterminated #%s", c.word)
	}
	p.mistake = p.mistake || s.scanner.OpenComment()
	p.files = p.files[:len(p.files)-1]
}
