package bindtest

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/objc"
)

// handMethods returns the exported methods of all wrapper types that no generated method declares,
// as "Type.Method".
func (r *Recorder) handMethods() []string {
	generated := map[string]bool{}
	for _, f := range r.src.funcs {
		generated[f.String()] = true
	}
	every := reflect.TypeFor[objc.Object]()
	var list []string
	for goType, c := range r.src.classes {
		if c.alias {
			continue
		}
		t := r.wrap(goType, 0).Type()
		for i := range t.NumMethod() {
			name := t.Method(i).Name
			_, inherited := every.MethodByName(name)
			for c := r.src.classes[goType]; c != nil; c = r.src.classes[c.parent] {
				inherited = inherited || generated[c.goType+"."+name]
			}
			if !inherited {
				list = append(list, goType+"."+name)
			}
		}
	}
	slices.Sort(list)
	return list
}

// replies maps a class and selector to a reply of the kind that the caller expects.
func (r *Recorder) replies() map[string]recording.Reply {
	if r.b.replies != nil {
		return r.b.replies
	}
	replies := map[string]recording.Reply{}
	r.b.replies = replies
	for _, f := range r.src.funcs {
		if f.table != "zmethods" {
			continue
		}
		if c, err := r.prepareDecl(f); err == nil {
			if r, err := c.reply(0); err == nil {
				replies[c.method.Class+" "+c.method.Selector] = r
			}
		}
	}
	return replies
}

// byHandTest: hand-written methods, whose behavior other tests check, accept any receiver and
// empty arguments without a panic, and failed calls leak nothing.
func byHandTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	replies := r.replies()
	methods := r.handMethods()
	calls, faults := 0, 0
	for _, method := range methods {
		goType, name, _ := strings.Cut(method, ".")
		for _, how := range []string{"nil", "released", "bare", "refusing", "failing", "answering"} {
			calls++
			faults += r.callByHand(goType, name, how, replies)
		}
	}
	t.Logf("%d methods by hand, %d calls, %d faults reported", len(methods), calls, faults)
}

// callByHand calls a method with zero arguments, for a receiver of some kind.
func (r *Recorder) callByHand(goType, name, how string, replies map[string]recording.Reply) (faults int) {
	before := r.rt.LiveTotal()
	old := map[objcsoft.ID]bool{}
	for _, l := range r.rt.Leaks() {
		old[l.ID] = true
	}
	var recv objc.ID
	switch how {
	case "nil":
	case "bare":
		recv = objc.ID(r.Bare())
	default:
		recv = r.object(goType)
	}
	if how == "released" {
		r.Release(recv)
	}
	r.ExpectMany(func(m *recording.Message) recording.Reply {
		r := replies[m.Method.Class+" "+m.Method.Selector]
		r.Small = true
		r.Empty = how == "refusing" || how == "failing"
		last := len(m.Args) - 1
		r.Error = how == "failing" && last >= 0 && m.Args[last].Type.String() == "^@"
		return r
	}, nil)
	fn := r.wrap(goType, recv).MethodByName(name)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	var args []reflect.Value
	for _, in := range ins(fn.Type()) {
		if in == reflect.TypeFor[context.Context]() {
			args = append(args, reflect.ValueOf(ctx))
			continue
		}
		args = append(args, reflect.Zero(in))
	}
	what := fmt.Sprintf("%s.%s on a %s receiver", goType, name, how)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("%s: panic: %v\n%s", what, p, debug.Stack())
			}
		}()
		objc.Pool(func() {
			if fn.Type().IsVariadic() {
				fn.CallSlice(args)
			} else {
				fn.Call(args)
			}
		})
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		r.Fatalf("%s: does not return", what)
	}
	faults = len(r.takeFaults())
	for _, p := range r.takePanics() {
		r.Errorf("%s: %v", what, p)
	}
	if how != "nil" && how != "released" && r.rt.IsLive(objcsoft.ID(recv)) {
		r.Release(recv)
	}
	if live := r.rt.LiveTotal(); live != before && how != "answering" {
		r.Errorf("%s: %d live objects, %d before", what, live, before)
	}
	for _, l := range r.rt.Leaks() { // results that nobody else knows
		for range l.Refs {
			if !old[l.ID] {
				r.Release(objc.ID(l.ID))
			}
		}
	}
	return faults
}
