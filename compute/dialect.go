package compute

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute/internal/store"
	"github.com/puremetal/puremetal/internal/private"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
)

// Programs in other languages are translated to Metal on every device, so that all devices compile
// the same text. Its #line directives name the places of the source.

// translation returns the program's translation, from the cache or made.
func (a *Accelerator) translation(ctx context.Context, source string, o CompileOptions) (*translate.Result, error) {
	h := hasher{sha256.New()}
	h.Write(a.cache.machine[:])
	// The name is in the text, in its #line directives.
	h.text(append([]string{"translation", o.Name, string(o.Dialect), fmt.Sprint(o.DoubleAsFloat)}, o.Instances...)...)
	key := o.key(h.sum(), source)
	e, _, err := a.cache.memory.Get(ctx, cacheKey{program: key}, func(ctx context.Context) (*compiled, int64, error) {
		if err := a.cache.takeTurn(ctx); err != nil {
			return &compiled{}, 0, err
		}
		defer a.cache.endTurn()
		began := a.now()
		defer addElapsed(a.now, began, &a.cache.compileTime)
		if r := a.translationFromDisk(key); r != nil {
			return &compiled{translation: r}, int64(len(source) + len(r.Text)), nil
		}
		r, err := translateSource(ctx, source, translate.Options{Name: o.Name, Language: o.Dialect, Macros: o.Macros,
			DoubleAsFloat: o.DoubleAsFloat, Instances: o.Instances, Lines: true,
			FastMath: o.Math != nil && *o.Math != mtl.MathModeSafe})
		if err == nil {
			err = refused(o.Name, r)
		}
		if err == nil {
			a.translationToDisk(key, r)
		}
		return &compiled{translation: r}, int64(len(source) + len(r.Text)), err
	})
	var wrong *CompileError
	switch {
	case err == nil:
		defer e.Release()
		return e.Value().translation, nil
	case errors.As(err, &wrong):
		return nil, wrong
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return nil, contextError(ctx, "the translator, at "+o.Name)
	case errors.Is(err, translate.ErrOptions):
		return nil, fmt.Errorf("compute: compiling %s: %w: %w", o.Name, ErrOption, err)
	}
	return nil, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
}

// diskTranslation is a translation as the disk cache has it, in JSON.
type diskTranslation struct {
	Text string
	*translate.Result
}

// translationFromDisk returns the translation that the disk cache has for a key, nil if none.
func (a *Accelerator) translationFromDisk(key programKey) *translate.Result {
	if a.cache.disk == nil {
		return nil
	}
	file, ok := a.cache.disk.Open(store.Key(key))
	if !ok {
		return nil
	}
	text, err := os.ReadFile(file.Path)
	if err != nil || sha256.Sum256(text) != file.Sum {
		return nil // removed or replaced since
	}
	var d diskTranslation
	if err := json.Unmarshal(text, &d); err != nil || d.Result == nil {
		a.cache.disk.Reject(file.Path, cmp.Or(err, errors.New("it has no translation")))
		return nil
	}
	a.cache.diskTranslations.Add(1)
	d.Result.Text = d.Text
	return d.Result
}

// translationToDisk stores a translation in the disk cache, if there is one.
func (a *Accelerator) translationToDisk(key programKey, r *translate.Result) {
	if a.cache.disk == nil {
		return
	}
	err := a.cache.disk.Add(store.Key(key), func(path string) error {
		text, err := json.Marshal(diskTranslation{r.Text, r})
		return cmp.Or(err, os.WriteFile(path, text, 0o600))
	})
	if err != nil && !errors.Is(err, private.ErrShared) { // the store has logged that
		a.log.Warn("compute: kernel cache: storing a translation on disk failed", "error", err)
	}
}

// refused returns the error of a program with mistakes, or of one none of whose kernels Metal can
// have. Kernels beside others may be refused: Program.Kernel then says why.
func refused(name string, r *translate.Result) error {
	fails := len(r.Kernels) == 0
	for _, m := range r.Refused {
		fails = fails || m.Kernel == "" || m.Code == translate.CodeError
	}
	if len(r.Refused) == 0 || !fails {
		return nil
	}
	e := &CompileError{Name: name, Err: errors.New(r.Refused[0].String())}
	for _, m := range r.Refused {
		e.Diagnostics = append(e.Diagnostics, mtl.Diagnostic{File: m.File, Line: m.Line, Column: m.Column,
			Severity: mtl.SeverityError, Message: fmt.Sprintf("%s [%s]", m.Reason, m.Code)})
	}
	return e
}

// translated returns the program in Metal, and options for it.
func (o CompileOptions) translated(r *translate.Result) (string, CompileOptions) {
	if o.Math == nil {
		safe := mtl.MathModeSafe
		o.Math = &safe
	}
	o.Macros, o.Dialect, o.DoubleAsFloat, o.Instances = nil, "", false, nil // the text has them
	return r.Text, o
}

// Translation returns the program's translation to Metal, for a program with a
// [CompileOptions].Dialect: the text, where Metal binds the arguments of each kernel, and what was
// refused and why. It is nil for a program in Metal. The result belongs to the program; do not
// change it.
func (p *Program) Translation() *translate.Result {
	if p.missing() {
		return nil
	}
	return p.translation
}

// function returns a kernel's name as the program has it, and Metal's name of it.
func (p *Program) function(kernel string) (name, function string, err error) {
	if p.translation == nil {
		return kernel, kernel, nil
	}
	if t := p.translation.Kernel(kernel); t != nil {
		return t.Name, t.As, nil
	}
	var why []string
	for _, m := range p.translation.RefusedKernel(kernel) {
		why = append(why, m.String())
	}
	if len(why) > 0 {
		return "", "", fmt.Errorf("compute: kernel %s has no translation: %w:\n%s", kernel, ErrCompile,
			strings.Join(why, "\n"))
	}
	if names := p.KernelNames(); len(names) > 0 { // none of a closed program
		return "", "", fmt.Errorf("compute: kernel %s of program %q: %w; the program has %s", kernel, p.name, ErrNoKernel,
			strings.Join(names, ", "))
	}
	return kernel, kernel, nil
}

// requiredGroup adds the threadgroup that the source requires to a kernel's limits. Metal's own
// attribute for it is newer than most systems.
func (p *Program) requiredGroup(kernel string, l mtl.PipelineLimits) mtl.PipelineLimits {
	if t := p.translation.Kernel(kernel); t != nil && t.Group[0] > 0 {
		l.RequiredThreadsPerThreadgroup = Extent{t.Group[0], t.Group[1], t.Group[2]}.metal()
	}
	return l
}

// inSource gives parameters the names and types of the source.
func (p *Program) inSource(kernel string, all []Parameter) []Parameter {
	t := p.translation.Kernel(kernel)
	if t == nil {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		x := &all[i]
		for _, a := range t.Args {
			if a.Index == int(x.Index) && x.Kind == kindOfArgument(a.Kind) {
				x.Name = a.Name
				if x.Kind == BufferParameter || x.Kind == ThreadgroupParameter {
					x.Type = cmp.Or(a.Type, x.Type)
				}
			}
		}
	}
	return all
}

func kindOfArgument(kind string) ParameterKind {
	switch kind {
	case "threadgroup":
		return ThreadgroupParameter
	case "texture":
		return TextureParameter
	case "sampler":
		return SamplerParameter
	}
	return BufferParameter
}
