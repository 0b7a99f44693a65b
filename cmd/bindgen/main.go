// Command bindgen writes the generated bindings (z*.go) of a package, or checks that they are
// current.
//
//	go run ./cmd/bindgen -pkg mtl -out mtl -soft internal/softmetal/metal
//	go run ./cmd/bindgen -pkg mtl -out mtl -soft internal/softmetal/metal -check
//
// It reads darwinkit from the module cache and everything else from itself, so it works offline
// after go mod download. With -listing, -structs or -enums it writes what is bound as JSON to
// standard output instead.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/puremetal/puremetal/internal/bindgen"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "bindgen:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	pkg, out, soft                         string
	check, listing, structs, enums, counts bool
	arch                                   string
	verbose                                bool
}

func run(args []string, stdout, stderr io.Writer) error {
	var o options
	fl := flag.NewFlagSet("bindgen", flag.ContinueOnError)
	fl.SetOutput(stderr)
	fl.StringVar(&o.pkg, "pkg", "mtl", "Go package to generate")
	fl.StringVar(&o.out, "out", ".", "folder of the package")
	fl.StringVar(&o.soft, "soft", "",
		"folder of the software device's package, which gets the encodings and numbers; none when empty")
	fl.BoolVar(&o.check, "check", false, "compare with the files in -out, write nothing")
	fl.BoolVar(&o.listing, "listing", false, "print the bound methods as JSON")
	fl.BoolVar(&o.structs, "structs", false, "print the layouts of the structures as JSON")
	fl.BoolVar(&o.enums, "enums", false, "print the constants under their Objective-C names as JSON")
	fl.BoolVar(&o.counts, "counts", false, "print how much is bound")
	fl.StringVar(&o.arch, "arch", "arm64", "architecture of the encodings in -listing: arm64 or amd64")
	fl.BoolVar(&o.verbose, "v", false, "print where the sources disagree")
	if err := fl.Parse(args); err != nil {
		return err
	}
	if fl.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fl.Arg(0))
	}
	if o.arch != "arm64" && o.arch != "amd64" {
		return fmt.Errorf("-arch %q: want arm64 or amd64", o.arch)
	}
	cfg, err := bindgen.ConfigFor(o.pkg)
	if err != nil {
		return err
	}
	dir, err := bindgen.KitDir(".")
	if err != nil {
		return err
	}
	res, err := bindgen.Generate(cfg, os.DirFS(dir), bindgen.Inputs())
	if err != nil {
		return err
	}
	if o.verbose {
		for _, l := range res.Log {
			fmt.Fprintln(stderr, l)
		}
	}
	return o.finish(res, stdout)
}

func (o *options) finish(res *bindgen.Result, stdout io.Writer) error {
	switch {
	case o.listing:
		if o.arch == "amd64" {
			for i := range res.Listing {
				res.Listing[i].Encoding = res.Listing[i].EncodingAMD64
			}
		}
		return printJSON(stdout, res.Listing)
	case o.structs:
		return printJSON(stdout, res.Structs)
	case o.enums:
		return printJSON(stdout, res.Enums)
	case o.counts:
		return printJSON(stdout, res.Counts)
	case o.check:
		stale, err := res.Stale(o.out)
		if err != nil {
			return err
		}
		if o.soft != "" {
			more, err := res.Software().Stale(o.soft)
			if err != nil {
				return err
			}
			stale = append(stale, more...)
		}
		if len(stale) > 0 {
			return fmt.Errorf("stale in %s, run go generate: %s", o.out, strings.Join(stale, ", "))
		}
		return nil
	}
	if o.soft != "" {
		if err := res.Software().Write(o.soft); err != nil {
			return err
		}
	}
	return res.Write(o.out)
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(v)
}
