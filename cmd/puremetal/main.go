// Command puremetal checks, runs and measures Metal kernels, on a Mac's GPU or, on any other
// machine, on a device made of software.
//
//	puremetal run examples/mandelbrot
//	puremetal check kernels.metal
//
// Its manual is docs/cli.md, generated from the commands' own help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once, whatever it does
	a := &app{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv, exit: os.Exit}
	code := a.main(os.Args[1:])
	stop()
	os.Exit(code)
}
