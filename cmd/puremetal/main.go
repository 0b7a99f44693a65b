// Command puremetal checks, runs and benchmarks Metal kernels: on the GPU on a Mac, on a software
// device everywhere else.
//
//	puremetal run examples/mandelbrot
//	puremetal check kernels.metal
//
// See docs/cli.md, which is generated from the commands' help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := (<-signals).(syscall.Signal)
		signal.Stop(signals) // a second Ctrl-C kills the process
		cancel(interrupted{s})
	}()
	a := &app{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv, exit: os.Exit,
		environ: os.Environ, startCases: startCases}
	os.Exit(a.main(os.Args[1:]))
}
