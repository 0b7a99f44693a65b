package bindgen

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/test/abitest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// whole is what the packages of a framework bind, and what they leave out with a reason.
type whole struct{ bound, skipped map[string]bool }

// bindFramework generates the packages of a framework. Each name is bound by one of them.
func bindFramework(t *testing.T, framework string) (w whole) {
	dir, err := KitDir(".")
	if err != nil {
		t.Skipf("darwinkit is not in the module cache: %v", err)
	}
	in := &input{kit: os.DirFS(dir), decls: Inputs(), done: map[string]*generator{}}
	w = whole{map[string]bool{}, map[string]bool{}}
	bind := func(name string) {
		assert.False(t, w.bound[name], "%s is bound twice", name)
		w.bound[name] = true
	}
	for i := range Configs {
		if Configs[i].Framework != framework {
			continue
		}
		g, err := in.named(Configs[i].Package)
		require.NoError(t, err)
		for _, c := range g.classOrder() {
			if !c.Protocol {
				w.bound["-["+c.Name+" init]"] = true // ClassRef.New sends it
			}
		}
		for _, m := range g.res.Listing {
			if m.Class != "NSObject" && m.Selector != "init" {
				bind(methodName(&Class{Name: m.Class}, &Method{Selector: m.Selector, ClassMethod: m.ClassMethod}))
			}
		}
		for _, f := range g.ctable {
			if why := g.ov.function(f.name).Reason; !strings.HasPrefix(why, handBound) {
				bind("function " + f.name)
			}
		}
		for name := range g.res.Structs {
			bind("struct " + name)
		}
		for name := range g.res.Enums {
			w.bound["member "+name] = true
		}
		for _, s := range g.res.Skipped {
			w.skipped[s.Name] = true
		}
	}
	return w
}

// TestComplete: everything of a framework in the ABI tables is bound by one of its packages, or
// left out with a reason.
func TestComplete(t *testing.T) {
	tables := abitest.Load(t)
	for _, cfg := range Configs {
		if cfg.Soft == "" {
			continue // a part of a framework
		}
		t.Run(cfg.Framework, func(t *testing.T) {
			w := bindFramework(t, cfg.Framework)
			left, missing := 0, 0
			check := func(name string, have bool) {
				switch {
				case have && w.bound[name] && w.skipped[name]:
					t.Errorf("%s is bound and skipped", name)
				case have:
				case w.skipped[name]:
					left++
				default:
					missing++
					t.Errorf("%s is neither bound nor skipped with a reason", name)
				}
			}
			own := tables.Framework(cfg.Framework)
			for _, c := range own.Classes {
				switch {
				case !strings.HasPrefix(c.Name, cfg.Prefix):
					continue // additions to classes of other frameworks
				case w.skipped[c.Kind+" "+c.Name]:
					left += len(c.Methods)
					continue
				}
				lineage := tables.Lineage(c.Name)
				for _, m := range c.Methods {
					name := func(class string) string {
						return methodName(&Class{Name: class}, &Method{Selector: m.Selector, ClassMethod: m.ClassMethod})
					}
					// A wrapper has what it inherits, so a method declared again there is bound once.
					have := slices.ContainsFunc(lineage, func(up *abitest.Class) bool { return w.bound[name(up.Name)] })
					check(name(c.Name), have || m.Unavailable)
				}
			}
			for _, f := range own.Functions {
				check("function "+f.Name, w.bound["function "+f.Name])
			}
			for _, s := range own.Structs {
				check("struct "+s.Name, w.bound["struct "+s.Name])
			}
			for _, e := range own.Enums {
				have := !slices.ContainsFunc(e.Members, func(m abitest.Member) bool { return !w.bound["member "+m.Name] })
				check("enum "+e.Name, have)
			}
			t.Logf("%d names bound, %d left out with a reason, %d missing", len(w.bound), left, missing)
		})
	}
}
