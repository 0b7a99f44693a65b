package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"puremetal": main}) }

// TestScripts runs the command as users do: testdata/script has a script for each command, with
// what it prints. Figures that differ from machine to machine are patterns there.
// PUREMETAL_UPDATE=1 writes what is printed into the scripts; read the difference.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		UpdateScripts: os.Getenv("PUREMETAL_UPDATE") != "", Setup: func(e *testscript.Env) error {
			// The golden output is the software device's, wherever the tests run.
			e.Setenv("PUREMETAL_DRIVER", "software")
			root, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			command, err := exec.LookPath("puremetal") // in a directory that testscript has made
			if err != nil {
				return err
			}
			e.Setenv("ROOT", root)
			e.Setenv("COMMAND", command)
			for _, name := range []string{"GOCACHE", "GOFLAGS", "GOMODCACHE"} { // for scripts that run go
				value, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return nil // they need it
				}
				e.Setenv(name, strings.TrimSpace(string(value)))
			}
			e.Setenv("GOWORK", "off")
			return nil
		}, Cmds: map[string]func(*testscript.TestScript, bool, []string){"fails": fails}})
}

// fails is a command of scripts: "fails 2 puremetal run" runs a program that must exit with that
// code, and say why on the standard error or output.
func fails(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		ts.Fatalf("%v ended with %v, want exit code %d", args[1:], err, want)
	}
	if got := exit.ExitCode(); got != want {
		ts.Fatalf("%v ended with exit code %d, want %d", args[1:], got, want)
	}
	if ts.ReadFile("stderr")+ts.ReadFile("stdout") == "" {
		ts.Fatalf("%v said nothing", args[1:])
	}
}
