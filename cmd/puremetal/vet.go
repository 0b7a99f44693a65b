//go:build !puremetal_run

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// vetCmd is the vet-kernels command.
type vetCmd struct {
	Packages []string `arg:"" optional:"" name:"package" help:"Packages, as for go vet."`
}

// Help returns the text that vet-kernels --help shows after the flags.
func (*vetCmd) Help() string {
	return `Runs go vet with this command as its tool, which reports what kernels in Go cannot do, at its place
and with a remedy: the codes T0020 and T0021 of docs/msl-diagnostics.md. go vet caches results, and
editors that run it show them. puremetal check ./... reports the same, and warnings, without a Go
toolchain.

Examples:

  puremetal vet-kernels ./...
  go vet -vettool=$(which puremetal) ./...
  go vet -vettool=$(go tool -n puremetal) ./...

The exit code is that of go vet: 0 if it finds nothing.
`
}

// Run runs go vet.
func (c *vetCmd) Run(a *app) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	vet := exec.CommandContext(a.ctx, "go", append([]string{"vet", "-vettool=" + self, "--"}, c.Packages...)...)
	vet.Stdout, vet.Stderr = a.out, a.err
	err = vet.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("vet-kernels needs the go command: %w; puremetal check ./... does not", err)
	case errors.As(err, &exit) && a.ctx.Err() == nil:
		return errFindings // go vet has said what
	}
	return err
}
