package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
)

// The exit codes.
const (
	exitDone   = 0 // it worked, and nothing was found
	exitFailed = 1 // findings, or a failure
	exitUsage  = 2 // what was asked for cannot be
)

// app is what a command works with.
type app struct {
	ctx context.Context
	in  io.Reader
	out io.Writer
	err io.Writer
	env func(string) string

	exit func(int) // after --help
}

// cli has the commands; kong reads the command line by it.
type cli struct {
	Run         runCmd         `cmd:"" help:"Run a kernel on data and show or store what it writes."`
	Check       checkCmd       `cmd:"" help:"Compile source and show what is wrong with it."`
	Bench       benchCmd       `cmd:"" help:"Measure what the device does with operations that papers quote."`
	Devices     devicesCmd     `cmd:"" help:"List the devices with their limits, families and memory."`
	Doctor      doctorCmd      `cmd:"" help:"Say whether kernels can run here, on what, and what to do if not."`
	Version     versionCmd     `cmd:"" help:"Say which version this is."`
	Completions completionsCmd `cmd:"" help:"Write a script that completes command lines in a shell."`
}

const about = "Checks, runs and measures Metal kernels: on a Mac's GPU, and on any other machine on a device made of software."

// parser returns kong's parser of the command line.
func (a *app) parser(c *cli) (*kong.Kong, error) {
	return kong.New(c, kong.Name("puremetal"), kong.Description(about), kong.Writers(a.out, a.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100, NoExpandSubcommands: true}),
		kong.Exit(a.exit))
}

// main runs the command and returns the exit code.
func (a *app) main(args []string) int {
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
		word, unexpected := strings.CutPrefix(err.Error(), "unexpected argument ")
		switch chosen := errors.As(err, &p) && p.Context != nil && p.Context.Selected() != nil; {
		case chosen:
			fmt.Fprintf(a.err, "puremetal: %v\npuremetal %s --help says how it is used\n", err, p.Context.Selected().Name)
		case unexpected:
			word, _, _ = strings.Cut(word, ",") // what kong thinks was meant
			fmt.Fprintf(a.err, "puremetal: there is no command %q; the commands are %s\n", word,
				strings.ReplaceAll(names(completionsOf(k)), " ", ", "))
		default:
			fmt.Fprintf(a.err, "puremetal: %v\npuremetal --help lists the commands\n", err)
		}
		return exitUsage
	}
	if err := command.Run(a, k); err != nil {
		return a.fail(err)
	}
	return exitDone
}

// fail says what went wrong and returns the exit code for it.
func (a *app) fail(err error) int {
	var u *usageError
	switch {
	case errors.Is(err, errFindings): // they were shown
		return exitFailed
	case a.ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(a.err, "puremetal: interrupted")
		return exitFailed
	}
	fmt.Fprintf(a.err, "puremetal: %s\n", message(err))
	if errors.As(err, &u) || errors.Is(err, value.ErrValue) {
		return exitUsage
	}
	return exitFailed
}

// message is an error without the name of the package that it came from.
func message(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
		before, _, _ := strings.Cut(err.Error(), path.Error())
		return fmt.Sprintf("%s%s: there is no such file or folder", before, path.Path)
	}
	return strings.TrimPrefix(err.Error(), "compute: ")
}

// errFindings is returned by a command that has already said what it found.
var errFindings = errors.New("findings")

// usageError is a command line that cannot be: the exit code is 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// open opens the device that a command asked for, by index or by name; "" is the first.
func (a *app) open(device string, options ...compute.Option) (*compute.Accelerator, error) {
	which, err := deviceOption(device)
	if err != nil {
		return nil, err
	}
	// what it would log comes back as errors, which are shown
	options = append(options, compute.WithLogger(slog.New(slog.DiscardHandler)))
	return compute.Open(append(options, which...)...)
}

const (
	closeTime        = 5 * time.Second        // for work that is done
	closeInterrupted = 200 * time.Millisecond // for work that was given up: the process ends with it
)

// closeContext returns the context for closing a device. It outlives Ctrl-C, but then only briefly.
func (a *app) closeContext() (context.Context, context.CancelFunc) {
	limit := closeTime
	if a.ctx.Err() != nil {
		limit = closeInterrupted
	}
	return context.WithTimeout(context.WithoutCancel(a.ctx), limit)
}
