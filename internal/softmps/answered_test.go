package softmps

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answers has what the software device answers, by class.
type answers map[string]*struct {
	super              string
	methods, ofClasses map[string]bool
}

func answered(list []adapter.Class) answers {
	all := answers{}
	for _, c := range list {
		a := all[c.Name]
		if a == nil {
			a = new(struct {
				super              string
				methods, ofClasses map[string]bool
			})
			a.methods, a.ofClasses = map[string]bool{}, map[string]bool{}
			all[c.Name] = a
		}
		if c.Super != "" {
			a.super = c.Super
		}
		for sel := range c.Methods {
			a.methods[sel] = true
		}
		if len(c.Properties) > 0 {
			a.methods["copyWithZone:"] = true // adapter adds it
		}
		for _, p := range c.Properties {
			a.methods[cmp.Or(p.Getter, p.Name)] = true
			a.methods["set"+strings.ToUpper(p.Name[:1])+p.Name[1:]+":"] = true
		}
		for sel := range c.ClassMethods {
			a.ofClasses[sel] = true
		}
	}
	return all
}

// has tells whether a class or one above it answers a message. Each class answers NSObject's.
func (all answers) has(class, sel string, classMethod bool) bool {
	for a := all[class]; a != nil; a = all[a.super] {
		if classMethod && a.ofClasses[sel] || !classMethod && a.methods[sel] {
			return true
		}
	}
	return !classMethod && sel == "init"
}

// missing returns a line for each class that is not there, and for each method of the others that
// the bindings send and that is not answered.
func missing(owners []adapter.Owner, all answers) (absent, lines []string, methods int) {
	for _, o := range owners {
		if o.Protocol {
			continue // programs implement them
		}
		if all[o.Name] == nil {
			absent = append(absent, o.Name)
			continue
		}
		for _, list := range []struct {
			sign        string
			methods     []adapter.Signature
			classMethod bool
		}{{"-", o.Methods, false}, {"+", o.ClassMethods, true}} {
			for _, m := range list.methods {
				if all.has(o.Name, m.Name, list.classMethod) {
					methods++
				} else {
					lines = append(lines, fmt.Sprintf("%s[%s %s]", list.sign, o.Name, m.Name))
				}
			}
		}
	}
	slices.Sort(absent)
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[1:], b[1:]) })
	return absent, lines, methods
}

// TestAnswered compares the classes and methods of MPS that the bindings use and that the software
// device does not answer with a list, so that none is missing without being known.
func TestAnswered(t *testing.T) {
	absent, lines, methods := missing(mpsdata.Tables.Owners, answered(classes(nil)))
	t.Logf("%d methods are answered and %d are not; %d classes are absent", methods, len(lines), len(absent))
	got := "Classes that the software device does not have:\n" + strings.Join(absent, "\n") +
		"\n\nMethods that its classes do not answer:\n" + strings.Join(lines, "\n") + "\n"
	file := filepath.Join("testdata", "missing.txt")
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run with PUREMETAL_UPDATE=1")
}

// TestMissing: the list names what it should.
func TestMissing(t *testing.T) {
	sig := func(names ...string) (s []adapter.Signature) {
		for _, n := range names {
			s = append(s, adapter.Signature{Name: n})
		}
		return s
	}
	owners := []adapter.Owner{
		{Name: "Base", Methods: sig("a", "b", "init"), ClassMethods: sig("make")},
		{Name: "Derived", Methods: sig("a", "c"), ClassMethods: sig("a", "make")},
		{Name: "Other", Methods: sig("a")},
		{Name: "Program", Protocol: true, Methods: sig("a")},
	}
	none := adapter.Methods{"a": nil}
	absent, lines, methods := missing(owners, answered([]adapter.Class{
		{Name: "Base", Methods: none}, {Name: "Base", ClassMethods: adapter.Methods{"make": nil}},
		{Name: "Derived", Super: "Base"},
	}))
	assert.Equal(t, []string{"Other"}, absent)
	assert.Equal(t, []string{"+[Derived a]", "-[Base b]", "-[Derived c]"}, sorted(lines))
	assert.Equal(t, 5, methods)
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}
