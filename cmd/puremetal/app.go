package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
)

// The exit codes.
const (
	exitDone     = 0   // success
	exitFailed   = 1   // findings, or a failure
	exitUsage    = 2   // invalid command line
	exitTimeout  = 124 // --timeout, as with the command timeout
	exitSignaled = 128 // plus the signal's number: 130 after Ctrl-C, as shells have it
)

// app is the environment that commands run in.
type app struct {
	ctx context.Context
	in  io.Reader
	out io.Writer
	err io.Writer
	env func(string) string

	reportSources
	exit    func(int)        // after --help and --version
	poll    <-chan time.Time // when --watch looks at its files; nil: its interval
	release func() string    // this program's version; nil: version.Release

	color string // of --color: auto, always or never

	answering atomic.Pointer[context.CancelFunc] // stops the answer of a model that is being printed
}

// stopAnswer stops the answer that is being printed. It reports false if there is none, or if it
// should have stopped before.
func (a *app) stopAnswer() bool {
	stop := a.answering.Swap(nil)
	if stop != nil {
		(*stop)()
	}
	return stop != nil
}

// cli is kong's model of the command line.
type cli struct {
	Color       string           `default:"auto" enum:"auto,always,never" placeholder:"WHEN" help:"Color the output: always, never, or auto (on a terminal, unless NO_COLOR is set)."`
	ShowVersion kong.VersionFlag `name:"version" help:"Show the version."`

	Run   runCmd   `cmd:"" help:"Run a kernel and show or save its output."`
	Check checkCmd `cmd:"" help:"Compile source files and report errors and warnings."`
	moreCommands
	Version     versionCmd     `cmd:"" help:"Show the version and how it was built."`
	Completions completionsCmd `cmd:"" help:"Write a completion script for a shell."`
	Man         manCmd         `cmd:"" help:"Write the manual page."`
	Help        helpCmd        `cmd:"" help:"Show the help of a command."`
}

const about = "Check, run and benchmark Metal kernels: on the GPU on a Mac, on a software device everywhere else."

// parser returns kong's parser of the command line.
func (a *app) parser(c *cli) (*kong.Kong, error) {
	return kong.New(c, kong.Name("puremetal"), kong.Description(about), kong.Writers(a.out, a.err),
		kong.Vars{"version": version().String()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100, NoExpandSubcommands: true}),
		kong.Exit(a.exit))
}

// main runs the command and returns the exit code.
func (a *app) main(args []string) int {
	out, problems := &screen{to: a.out}, &screen{to: a.err}
	defer out.flush()
	defer problems.flush()
	a.out, a.err = out, problems
	var c cli
	k, err := a.parser(&c)
	if err != nil {
		return a.fail(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := k.Parse(args)
	if err != nil {
		var p *kong.ParseError
		switch chosen := errors.As(err, &p) && p.Context != nil && p.Context.Selected() != nil; {
		case chosen:
			fmt.Fprintf(a.err, "puremetal: %v\nsee puremetal help %s\n", unknownFlag(p.Context, err),
				helpFor(strings.Join(pathOf(p.Context.Selected()), " "), args, k))
		default:
			fmt.Fprintf(a.err, "puremetal: %v\nsee puremetal help\n", unknownCommand(k, err))
		}
		return exitUsage
	}
	a.color = c.Color
	out.json = printsJSON(command)
	if err := command.Run(a, k); err != nil {
		return a.fail(err)
	}
	return exitDone
}

// printsJSON reports whether a command's standard output is JSON or SARIF.
func printsJSON(command *kong.Context) bool {
	for _, f := range command.Flags() {
		if f.Name != "json" && f.Name != "sarif" {
			continue
		}
		if v := command.FlagValue(f); v == true || v == "-" {
			return true
		}
	}
	return false
}

// unknownFlag adds to kong's error the flag that may be meant. Kong itself suggests only flags that
// differ in a letter or two.
func unknownFlag(c *kong.Context, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag --")
	if !ok || strings.Contains(name, "did you mean") {
		return err
	}
	var known []string
	for _, f := range c.Flags() {
		known = append(known, f.Name)
	}
	if near := nearest(name, known); near != "" {
		return usage("%w, did you mean \"--%s\"?", err, near)
	}
	return err
}

// helpFor returns the command whose help a wrong command line needs: of "help run --foo", run.
func helpFor(selected string, args []string, k *kong.Kong) string {
	if selected != "help" {
		return selected
	}
	for _, n := range k.Model.Children {
		if n.Name != "help" && slices.Contains(args, n.Name) {
			return n.Name
		}
	}
	return selected
}

// unknownCommand rewords kong's error for a first argument that names no command. The error keeps
// kong's suggestion; without one it lists the commands.
func unknownCommand(k *kong.Kong, err error) error {
	word, ok := strings.CutPrefix(err.Error(), "unexpected argument ")
	if !ok {
		return err
	}
	word, meant, suggested := strings.Cut(word, ", did you mean ")
	if suggested {
		return usage("unknown command %q; did you mean %s%s", word, meant, elsewhere)
	}
	return usage("unknown command %q; the commands are %s%s", word,
		strings.ReplaceAll(names(completionsOf(k)), " ", ", "), elsewhere)
}

// interrupted is the cancellation cause of a context that a signal canceled.
type interrupted struct{ syscall.Signal }

func (interrupted) Error() string { return "interrupted" }
func (interrupted) Unwrap() error { return context.Canceled }

// fail reports an error and returns its exit code.
func (a *app) fail(err error) int {
	var u *usageError
	var t *timeoutError
	var i interrupted
	switch {
	case errors.Is(err, errFindings): // already shown
		return exitFailed
	case errors.As(context.Cause(a.ctx), &i) && errors.Is(err, context.Canceled):
		fmt.Fprintln(a.err, "puremetal:", i)
		return exitSignaled + int(i.Signal)
	}
	fmt.Fprintf(a.err, "puremetal: %s\n", message(err))
	if errors.As(err, &t) {
		return exitTimeout
	}
	if errors.As(err, &u) || errors.Is(err, value.ErrValue) {
		return exitUsage
	}
	return exitFailed
}

// message returns an error's text without the package prefix, and with one wording for missing
// files on every system.
func message(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
		before, _, _ := strings.Cut(err.Error(), path.Error())
		return fmt.Sprintf("%s%s: no such file or directory", before, path.Path)
	}
	return strings.TrimPrefix(err.Error(), "compute: ")
}

// errFindings is returned by commands that have already printed their findings.
var errFindings = errors.New("findings")

// usageError reports an invalid command line: the exit code is 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// open opens a device by index or name; "" is the first.
func (a *app) open(device string, options ...compute.Option) (*compute.Accelerator, error) {
	which, err := deviceOption(device)
	if err != nil {
		return nil, err
	}
	// discard the log: what it reports is returned as errors, too
	options = append(options, compute.WithLogger(slog.New(slog.DiscardHandler)))
	return compute.Open(append(options, which...)...)
}

const (
	closeTime        = 5 * time.Second        // after finished work
	closeInterrupted = 200 * time.Millisecond // after abandoned work, which ends with the process
)

// closeDevice closes a device after work.
func closeDevice(work context.Context, acc *compute.Accelerator) error {
	ctx, stop := closeContext(work)
	defer stop()
	return unlessLate(acc.Close(ctx))
}

// unlessLate returns an error of closing a device. That closing takes too long on a busy machine,
// or that memory is still in use, is no failure of the command: the process is about to end.
func unlessLate(err error) error {
	var leak *compute.LeakError
	if errors.As(err, &leak) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// closeContext returns the context for closing a device, which lives on briefly if that of the work
// has ended.
func closeContext(work context.Context) (context.Context, context.CancelFunc) {
	limit := closeTime
	if work.Err() != nil {
		limit = closeInterrupted
	}
	return context.WithTimeout(context.WithoutCancel(work), limit)
}
