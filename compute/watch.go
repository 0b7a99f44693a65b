package compute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/machine"
)

// Watch is for development: it compiles a file, compiles it again whenever the file or one of its
// includes changes, and calls changed after each attempt, on the caller's goroutine. It returns
// when ctx ends, with its error, or when no change of a file can help: the accelerator is closed or
// an option is invalid.
//
// changed gets a program or an error, such as a *[CompileError] or that of a missing file. After an
// error the last good program stays open. It is closed after changed has returned for the next
// one, or before Watch returns. Watch does not touch buffers, so their contents survive.
//
// file is a path in o.Includes. If that is nil, file is a path of the operating system, and the
// root for includes is its directory. If o.Name is empty, it is the path in that file system.
func (a *Accelerator) Watch(ctx context.Context, file string, o CompileOptions,
	changed func(*Program, error)) error {
	if err := stream.CheckCall(ctx, "accelerator: Watch", a.missing()); err != nil {
		return err
	}
	if changed == nil {
		return fmt.Errorf("compute: accelerator: Watch: no callback: %w", ErrNil)
	}
	ticker := time.NewTicker(machine.WatchInterval)
	defer ticker.Stop()
	return a.watch(ctx, file, o, changed, ticker.C)
}

// watch is Watch, which looks at the files at each tick.
func (a *Accelerator) watch(ctx context.Context, file string, o CompileOptions, changed func(*Program, error),
	ticks <-chan time.Time) error {
	if o.Includes == nil {
		o.Includes = os.DirFS(filepath.Dir(file))
		file = filepath.Base(file)
	}
	if o.Name == "" {
		o.Name = file
	}
	dir := o.Includes
	files := machine.WatchFiles(func(name string) (fs.FileInfo, error) { return fs.Stat(dir, name) })
	o.Includes = watchedFS{dir, files}
	var good *Program
	defer func() { good.Close() }()
	for {
		files.Refresh()
		p, err := a.compileFile(ctx, file, o)
		switch {
		case err == nil:
			changed(p, nil)
			good.Close()
			good = p
		case ctx.Err() != nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrOption):
			return err
		default:
			changed(nil, err)
		}
		if _, err := files.Wait(ctx, ticks); err != nil {
			return stream.ContextError(ctx, "changes of "+o.Name)
		}
	}
}

// compileFile compiles a file of o.Includes.
func (a *Accelerator) compileFile(ctx context.Context, file string, o CompileOptions) (*Program, error) {
	source, err := fs.ReadFile(o.Includes, file)
	if err != nil {
		return nil, err
	}
	return a.Compile(ctx, string(source), o)
}

// watchedFS records the files that are opened.
type watchedFS struct {
	fs.FS
	files *machine.WatchedFiles
}

func (w watchedFS) Open(name string) (fs.File, error) {
	w.files.Add(name)
	return w.FS.Open(name)
}
