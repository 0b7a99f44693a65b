package mtl

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
	"github.com/puremetal/puremetal/internal/objcsoft/recording"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
)

// handMethods returns the exported methods of all wrapper types that no generated method declares, as "Type.Method".
func (w *boundWorld) handMethods() []string {
	generated := map[string]bool{}
	for _, f := range w.src.funcs {
		generated[f.String()] = true
	}
	every := reflect.TypeFor[objc.Object]()
	var list []string
	for goType := range w.src.classes {
		t := w.wrap(goType, 0).Type()
		for i := range t.NumMethod() {
			name := t.Method(i).Name
			_, inherited := every.MethodByName(name)
			for c := w.src.classes[goType]; c != nil; c = w.src.classes[c.parent] {
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

// boundReplies maps a selector of a class to an answer of the kind that its caller expects.
func (w *boundWorld) boundReplies() map[string]recording.Reply {
	replies := map[string]recording.Reply{}
	for _, f := range w.src.funcs {
		if f.table != "zmethods" {
			continue
		}
		if c, err := w.prepareDecl(f); err == nil {
			if r, err := c.reply(0); err == nil {
				replies[c.method.Class+" "+c.method.Selector] = r
			}
		}
	}
	return replies
}

// TestBoundByHand: the methods written by hand, which have tests of their own for what they do, take any receiver and empty
// arguments without a panic, and what cannot work leaves nothing behind.
func TestBoundByHand(t *testing.T) {
	w := newBoundWorld(t)
	replies := w.boundReplies()
	methods := w.handMethods()
	calls, faults := 0, 0
	for _, method := range methods {
		goType, name, _ := strings.Cut(method, ".")
		for _, how := range []string{"nil", "released", "bare", "refusing", "failing", "answering"} {
			calls++
			faults += w.callByHand(goType, name, how, replies)
		}
	}
	assert.NotEmpty(t, methods)
	t.Logf("%d methods by hand, %d calls, %d faults reported", len(methods), calls, faults)
}

// callByHand calls a method with zero arguments, for a receiver of some kind.
func (w *boundWorld) callByHand(goType, name, how string, replies map[string]recording.Reply) (faults int) {
	before := w.rt.LiveTotal()
	old := map[objcsoft.ID]bool{}
	for _, l := range w.rt.Leaks() {
		old[l.ID] = true
	}
	var recv objc.ID
	switch how {
	case "nil":
	case "bare":
		recv = objc.ID(w.Bare())
	default:
		recv = w.object(goType)
	}
	if how == "released" {
		w.release(recv)
	}
	w.ExpectMany(func(m *recording.Message) recording.Reply {
		r := replies[m.Method.Class+" "+m.Method.Selector]
		r.Small = true
		r.Empty = how == "refusing" || how == "failing"
		last := len(m.Args) - 1
		r.Error = how == "failing" && last >= 0 && m.Args[last].Type.String() == "^@"
		return r
	}, nil)
	fn := w.wrap(goType, recv).MethodByName(name)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	var args []reflect.Value
	for _, in := range boundIns(fn.Type()) {
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
			if r := recover(); r != nil {
				w.Errorf("%s: panic: %v\n%s", what, r, debug.Stack())
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
		w.Fatalf("%s: does not return", what)
	}
	faults = len(w.takeFaults())
	for _, p := range w.takePanics() {
		w.Errorf("%s: %v", what, p)
	}
	if how != "nil" && how != "released" && w.rt.IsLive(objcsoft.ID(recv)) {
		w.release(recv)
	}
	if live := w.rt.LiveTotal(); live != before && how != "answering" {
		w.Errorf("%s: %d live objects, %d before", what, live, before)
	}
	for _, l := range w.rt.Leaks() { // results that nobody else knows
		for range l.Refs {
			if !old[l.ID] {
				w.release(objc.ID(l.ID))
			}
		}
	}
	return faults
}
