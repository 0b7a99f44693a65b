package event

import "fmt"

// Attribute is a figure of a launch for a span of a timeline. Keys, units and meanings do not
// change from version to version; new keys may be added. docs/analyze.md lists them.
type Attribute struct {
	Key   string
	Value any    // a string, an int64 or a float64
	Unit  string // of a number; "1" for a count or share
	// Estimate says that the number depends on which threadgroups were observed, and not all were. A
	// count is then that of the observed threadgroups.
	Estimate bool
}

// Attributes returns the figures of a launch. Those that it does not have are left out: a label, an
// error, and efficiencies if it did not access device or constant memory.
func (l *Launch) Attributes() []Attribute {
	list := []Attribute{{Key: "kernel", Value: l.Kernel}}
	add := func(key, unit string, value any) {
		list = append(list, Attribute{Key: key, Value: value, Unit: unit})
	}
	counted := func(key, unit string, value any) {
		list = append(list, Attribute{Key: key, Value: value, Unit: unit, Estimate: !l.Whole()})
	}
	if l.Label != "" {
		add("label", "", l.Label)
	}
	if l.Error != "" {
		add("error", "", l.Error)
	}
	add("grid", "", fmt.Sprintf("%d,%d,%d", l.Grid[0], l.Grid[1], l.Grid[2]))
	add("threadgroup", "", fmt.Sprintf("%d,%d,%d", l.Threadgroup[0], l.Threadgroup[1], l.Threadgroup[2]))
	add("threadgroup_memory", "bytes", int64(l.ThreadgroupMemory))
	add("threadgroups", "1", l.Threadgroups)
	add("observed", "1", l.Observed)
	t := l.Totals()
	counted("instructions", "1", l.Instructions)
	counted("simd_efficiency", "1", l.SimdEfficiency())
	counted("float_operations", "1", l.FloatOperations)
	counted("textures", "1", l.Textures)
	counted("accesses", "1", t.Accesses)
	counted("bytes", "bytes", t.Bytes)
	counted("unique", "bytes", t.Unique)
	for i, size := range LineSizes {
		counted(fmt.Sprintf("lines_%d", size), "1", t.Transactions[i])
	}
	for _, size := range LineSizes {
		if e, ok := t.Efficiency(size); ok {
			counted(fmt.Sprintf("efficiency_%d", size), "1", e)
		}
	}
	var footprint, serial, entries, divergent int64
	for i := range l.Memories {
		footprint += l.Memories[i].Footprint
	}
	for i := range l.Sites {
		if k := l.Sites[i].Contention; k != nil {
			serial += k.Serial
		}
	}
	for i := range l.Branches {
		entries += l.Branches[i].Entries
		divergent += l.Branches[i].Divergent
	}
	counted("footprint", "bytes", footprint)
	counted("atomic_serial", "1", serial)
	counted("divergence", "1", ratio(divergent, entries))
	counted("imbalance", "1", ratio(l.Balance.Threadgroups.Max, l.Balance.Threadgroups.Median))
	return list
}
