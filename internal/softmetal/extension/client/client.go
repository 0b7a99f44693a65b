// Package client sends the software device's own messages; see package extension. No other device
// understands them: ask for compute.Info.Software first.
//
// The tests are in internal/softmetal.
package client

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"
)

// methods has an *objc.Method for each *typeenc.Message that has been sent.
var methods sync.Map

// method returns the bound method of a message.
func method(m *typeenc.Message) *objc.Method {
	if bound, ok := methods.Load(m); ok {
		return bound.(*objc.Method)
	}
	bound, _ := methods.LoadOrStore(m, &objc.Method{Class: m.Class, Selector: m.Selector, Encoding: m.Encoding})
	return bound.(*objc.Method)
}

// Send sends a message and returns the first word of its result; see [objc.Method.Call].
func Send(m *typeenc.Message, to objc.ID, words ...uintptr) uintptr {
	return method(m).Call(to, words...)
}

// Ask sends a message whose result is a BOOL.
func Ask(m *typeenc.Message, to objc.ID, words ...uintptr) bool {
	return method(m).Call(to, words...)&0xff != 0
}

// SendText sends a message with a string.
func SendText(m *typeenc.Message, to objc.ID, text string) {
	s := objc.NewString(text)
	defer objc.Release(s)
	method(m).Call(to, uintptr(s))
}

// AskWith sends a message with a value as JSON, whose result is a BOOL.
func AskWith(m *typeenc.Message, to objc.ID, value any) (bool, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return false, fmt.Errorf("%s: %w", m.Selector, err)
	}
	s := objc.NewString(string(text))
	defer objc.Release(s)
	return Ask(m, to, uintptr(s)), nil
}

// Read sends a message whose result is a value as JSON.
func Read[T any](m *typeenc.Message, to objc.ID) (value T, err error) {
	if err = json.Unmarshal([]byte(method(m).CallString(to)), &value); err != nil {
		err = fmt.Errorf("%s: %w", m.Selector, err)
	}
	return value, err
}

// Value decodes the first argument of a block, which is JSON.
func Value[T any](args []uintptr) (value T, err error) {
	err = json.Unmarshal([]byte(objc.GoString(objc.ID(args[0]))), &value)
	return value, err
}
