// Command gen generates the tables of package builtin and their documentation page. It must run in
// that package's directory.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/msl/builtin/internal/stdlib"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run reads stdlib.def in a directory and writes the files generated from it.
func run(dir string) error {
	src, err := os.ReadFile(filepath.Join(dir, "stdlib.def"))
	if err != nil {
		return err
	}
	f, err := stdlib.Parse(string(src))
	if err != nil {
		return fmt.Errorf("stdlib.def: %w", err)
	}
	files, err := stdlib.Generate(f)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
