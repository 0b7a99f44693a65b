package compute

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/internal/plainmetal"
)

// formKey identifies another form of a kernel, whose program is compiled again for it: one that
// takes its textures and samplers from memory, for indirect commands, or one that executes a part
// of a grid.
type formKey struct {
	kernel string
	window bool
}

// programForm is a program of one kernel in another form.
type programForm struct {
	program    *Program
	translated *plainmetal.Program
}

// form returns another form of a kernel, which is made at first use and ends with p.
func (p *Program) form(ctx context.Context, key formKey) (*programForm, error) {
	p.mu.Lock()
	made, closed := p.forms[key], p.closed
	p.mu.Unlock()
	switch {
	case closed:
		return nil, fmt.Errorf("compute: program %q: %w", p.name, ErrClosed)
	case made != nil:
		return made, nil
	}
	t, o, err := p.acc.translate(ctx, p.source, p.options, key)
	if err != nil {
		return nil, err
	}
	made = &programForm{translated: t}
	if made.program, err = p.acc.compileText(ctx, t.Text, o, t.Phased); err != nil {
		return nil, err
	}
	p.acc.core.RemoveOpen(made.program) // p owns it
	made.program.formOf = p
	p.mu.Lock()
	defer p.mu.Unlock()
	switch other := p.forms[key]; {
	case p.closed:
		made.program.drop()
		return nil, fmt.Errorf("compute: program %q: %w", p.name, ErrClosed)
	case other != nil: // another goroutine was faster
		made.program.drop()
		return other, nil
	}
	if p.forms == nil {
		p.forms = map[formKey]*programForm{}
	}
	p.forms[key] = made
	return made, nil
}
