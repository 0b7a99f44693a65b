package main

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed chart.html
var page string

// bars are the timings of one size.
type bars struct {
	N    int
	List []bar
}

type bar struct {
	timing
	Percent float64 // of the fastest of all
}

// chart writes a page with a bar for each timing: its GFLOP/s, on one scale for all sizes. The page
// needs neither scripts nor other files.
func chart(w io.Writer, device string, all []timing) error {
	t, err := template.New("chart").Parse(page)
	if err != nil {
		return err
	}
	fastest := 0.0
	for _, x := range all {
		fastest = max(fastest, x.GFLOPs())
	}
	var groups []bars
	for _, x := range all {
		if len(groups) == 0 || groups[len(groups)-1].N != x.N {
			groups = append(groups, bars{N: x.N})
		}
		g := &groups[len(groups)-1]
		g.List = append(g.List, bar{x, 100 * x.GFLOPs() / fastest})
	}
	return t.Execute(w, struct {
		Device string
		Groups []bars
	}{device, groups})
}
