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
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
)

// Programs in other languages are translated to Metal on every device, so that all devices compile
// the same text. Its #line directives name the places of the source.

// sourceTranslation returns the translation of a program in one file.
func (a *Accelerator) sourceTranslation(ctx context.Context, source string, o CompileOptions) (*translate.Result,
	error) {
	if o.Dialect == translate.Go {
		return nil, fmt.Errorf("compute: compiling %s: Dialect %q is for gokernel.Compile, which reads a package: %w", o.Name,
			o.Dialect, ErrOption)
	}
	h := hasher{sha256.New()}
	// The name is in the text, in its #line directives.
	h.text(append([]string{o.Name, string(o.Dialect), fmt.Sprint(o.DoubleAsFloat)}, o.Instances...)...)
	key := o.key(h.sum(), source)
	return a.translation(ctx, o.Name, key[:], len(source), func(ctx context.Context) (*translate.Result, error) {
		return translateSource(ctx, source, translate.Options{Name: o.Name, Language: o.Dialect, Macros: o.Macros,
			DoubleAsFloat: o.DoubleAsFloat, Instances: o.Instances, Lines: true,
			FastMath: o.Math != nil && *o.Math != mtl.MathModeSafe})
	})
}

// compileRead compiles the translation of a program that is read when the accelerator is in use, so
// that it is not closed meanwhile.
func (a *Accelerator) compileRead(ctx context.Context, o CompileOptions,
	read func() (*stream.Source, error)) (*Program, error) {
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
	source, err := read()
	if err != nil {
		return nil, err
	}
	from, err := a.translation(ctx, o.Name, source.Sum, source.Size, func(ctx context.Context) (*translate.Result,
		error) {
		r, err := source.Translate(ctx)
		return r.(*translate.Result), err
	})
	if err != nil {
		return nil, err
	}
	return a.compileTranslated(ctx, from.Text, o, from)
}

// translation returns a translation from the cache, or makes it. The sum identifies what it is of.
func (a *Accelerator) translation(ctx context.Context, name string, sum []byte, size int,
	make func(context.Context) (*translate.Result, error)) (*translate.Result, error) {
	h := hasher{sha256.New()}
	h.Write(a.cache.machine[:])
	h.text("translation", name, string(sum))
	key := h.sum()
	e, _, err := a.cache.memory.Get(ctx, cacheKey{program: key}, func(ctx context.Context) (*compiled, int64, error) {
		if err := a.cache.takeTurn(ctx); err != nil {
			return &compiled{}, 0, err
		}
		defer a.cache.endTurn()
		began := a.now()
		defer addElapsed(a.now, began, &a.cache.compileTime)
		if r := a.translationFromDisk(key); r != nil {
			return &compiled{translation: r}, int64(size + len(r.Text)), nil
		}
		r, err := make(ctx)
		if err == nil {
			err = refused(name, r)
		}
		if err == nil {
			a.translationToDisk(key, r)
		}
		return &compiled{translation: r}, int64(size + len(r.Text)), err
	})
	var wrong *CompileError
	switch {
	case err == nil:
		defer e.Release()
		return e.Value().translation, nil
	case errors.As(err, &wrong):
		return nil, wrong
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return nil, stream.ContextError(ctx, "the translator, at "+name)
	case errors.Is(err, translate.ErrOptions):
		return nil, fmt.Errorf("compute: compiling %s: %w: %w", name, ErrOption, err)
	case errors.Is(err, ErrNoKernel):
		return nil, err
	}
	return nil, fmt.Errorf("compute: compiling %s: %w", name, err)
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
	if err != nil && !errors.Is(err, machine.ErrShared) { // the store has logged that
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

// translated returns options for the text of a translation.
func (o CompileOptions) translated() CompileOptions {
	if o.Math == nil {
		safe := mtl.MathModeSafe
		o.Math = &safe
	}
	o.Logging = o.Logging || o.Checked
	o.Macros, o.Dialect, o.DoubleAsFloat, o.Checked = nil, "", false, false // the text has them
	o.Instances, o.Translated = nil, nil
	return o
}

// Translation returns the program's translation to Metal, for a program of gokernel.Compile or with
// [CompileOptions].Dialect or Translated: the text, where Metal binds the arguments of each kernel,
// and what was refused and why. It is nil for a program in Metal. The result belongs to the
// program; do not change it.
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
	t := p.translation.Kernel(kernel)
	if p.formOf != nil && p.formOf.translation != nil {
		all := p.formOf.translation.Kernels
		if i := slices.IndexFunc(all, func(k translate.Kernel) bool { return k.As == kernel }); i >= 0 {
			t = &all[i] // a form has Metal's names
		}
	}
	if t != nil && t.Group[0] > 0 {
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
		for n, a := range t.Args {
			if a.Index == int(x.Index) && x.Kind == kindOfArgument(a.Kind) {
				x.Name = a.Name
				if a.Kind == "length" {
					x.lengthOf = lengthOwner(t, n, all)
				}
				if x.Kind == BufferParameter || x.Kind == ThreadgroupParameter {
					x.Type = cmp.Or(a.Type, x.Type)
				}
			}
		}
	}
	return all
}

// lengthOwner returns 1 + the place among the parameters of the slice whose length argument n of a
// kernel is, 0 if it is not there.
func lengthOwner(k *translate.Kernel, n int, all []Parameter) int {
	for i := n - 1; i >= 0; i-- { // right before, as a rule; names may be the same
		if a := k.Args[i]; a.Name == k.Args[n].Of && a.Kind != "length" {
			return 1 + slices.IndexFunc(all, func(p Parameter) bool {
				return p.Kind == kindOfArgument(a.Kind) && int(p.Index) == a.Index
			})
		}
	}
	return 0
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
