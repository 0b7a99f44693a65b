// Package bindtest is test support for packages of generated bindings. [Run] calls every generated
// function and compares the message that arrives at a recording device with the declaration in the
// function's comment: receiver, selector, argument words, result, ownership, errors. [ABI] compares
// the tables of the bindings with the ABI tables.
package bindtest
