package objcsoft

import "sort"

// Live returns the number of existing objects of a class and its subclasses, or of classes that
// adopt the protocol of that name. Immortal and kept objects do not count.
func (rt *Runtime) Live(name string) int {
	class, protocol := rt.Class(name), rt.Protocol(name)
	total := 0
	for _, c := range rt.allClasses() {
		if (class != nil && c.IsSubclassOf(class)) || (protocol != nil && class == nil && c.ConformsTo(protocol)) {
			total += int(c.live.Load())
		}
	}
	return total
}

// LiveTotal returns the number of existing objects, except kept ones, see [Runtime.Keep], and
// immortal ones: classes, protocols, constant strings, singletons.
func (rt *Runtime) LiveTotal() int {
	total := 0
	for _, c := range rt.allClasses() {
		total += int(c.live.Load())
	}
	return total
}

// LiveByClass returns the live objects of each class that has any.
func (rt *Runtime) LiveByClass() map[string]int {
	live := map[string]int{}
	for _, c := range rt.allClasses() {
		if n := c.live.Load(); n != 0 {
			live[c.Name] = int(n)
		}
	}
	return live
}

func (rt *Runtime) allClasses() []*Class {
	rt.classes.mu.RLock()
	defer rt.classes.mu.RUnlock()
	all := make([]*Class, 0, len(rt.classes.byName))
	for _, c := range rt.classes.byName {
		all = append(all, c)
	}
	return all
}

// Leak is an object that is still alive.
type Leak struct {
	// ID is the object.
	ID ID
	// Class is its class's name.
	Class string
	// Refs is its retain count.
	Refs int
	// Site is where it was allocated, or "" if sites were not tracked at the time.
	Site string
}

// TrackSites sets whether the call stack of each allocation and pool is recorded from now on. It
// costs about a microsecond each.
func (rt *Runtime) TrackSites(on bool) { rt.trackSites.Store(on) }

// Leaks returns all live objects except immortal and kept ones, oldest slot first.
func (rt *Runtime) Leaks() []Leak {
	var leaks []Leak
	rt.table.each(func(o *Object) {
		if n := o.refs.Load(); n > 0 && n != immortalCount && !o.kept.Load() {
			leaks = append(leaks, Leak{o.id, o.class.Name, int(n), siteOf(o.site)})
		}
	})
	sort.Slice(leaks, func(i, j int) bool { return leaks[i].ID.index() < leaks[j].ID.index() })
	return leaks
}
