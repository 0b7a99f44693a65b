package plan

// ChooseForms chooses the special forms of the range's loops and segments. Lanes run loops solo
// where that is worth it or, if solo is set, where they can.
func (c *Plan) ChooseForms(solo bool) {
	c.Solo = c.soloLoops(solo)
	if c.formed {
		return
	}
	c.formed = true
	for _, s := range c.Segments {
		s.Deferred, s.Pairs, s.Assumed = c.findDeferred(s), c.findPairs(s), c.findAssumed(s)
		s.Extremes = c.findExtremes(s)
	}
	if c.Row {
		c.findInvariants()
	}
}
