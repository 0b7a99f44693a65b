package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"puremetal": main}) }

// TestScripts runs the command as users do: testdata/script has a script for each command, with what it prints. Figures that differ from machine to machine are
// patterns there. PUREMETAL_UPDATE=1 writes what is printed into the scripts; read the difference.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: os.Getenv("PUREMETAL_UPDATE") != "", Setup: func(e *testscript.Env) error {
		// The golden output is the software device's, wherever the tests run.
		e.Setenv("PUREMETAL_DRIVER", "software")
		return nil
	}})
}
